# Tests of the installed library: what it exports, and programs that find it in every way.

if(TARGET nozzle_shared)
  add_test(NAME library.symbols COMMAND ${CMAKE_COMMAND}
    -DHEADER=${PROJECT_SOURCE_DIR}/include/nozzle/nozzle.h -DLIBRARY=$<TARGET_FILE:nozzle_shared> -DNM=${CMAKE_NM}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/c_interface/symbols.cmake)
  set(has_cet OFF)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
    set(has_cet ON)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    add_test(NAME library.hardening COMMAND ${CMAKE_COMMAND}
      -DLIBRARY=$<TARGET_FILE:nozzle_shared> -DREADELF=${CMAKE_READELF} -DOBJDUMP=${CMAKE_OBJDUMP} -DCET=${has_cet}
      -P ${CMAKE_CURRENT_SOURCE_DIR}/c_interface/hardening.cmake)
  endif()
endif()

# The examples, built from the install tree; then each on its own.
set(examples_tree ${CMAKE_CURRENT_BINARY_DIR}/examples)
add_test(NAME library.examples COMMAND ${CMAKE_CTEST_COMMAND}
  --build-and-test ${PROJECT_SOURCE_DIR}/lib/example ${examples_tree}
  --build-generator ${CMAKE_GENERATOR}
  --build-options -DCMAKE_PREFIX_PATH=${install_tree} -DCUDAToolkit_ROOT=${toolkit_root} -DCMAKE_BUILD_TYPE=Release)
set_tests_properties(library.examples PROPERTIES FIXTURES_REQUIRED install_tree FIXTURES_SETUP examples)
foreach(example plain chain device memory_resource)
  add_test(NAME library.examples.${example} COMMAND ${examples_tree}/${example})
  set_tests_properties(library.examples.${example} PROPERTIES FIXTURES_REQUIRED examples SKIP_RETURN_CODE 77)
endforeach()

foreach(kind shared static)
  if(TARGET nozzle_${kind})
    add_test(NAME library.${kind} COMMAND ${CMAKE_CTEST_COMMAND}
      --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/package/library ${CMAKE_CURRENT_BINARY_DIR}/package_${kind}
      --build-generator ${CMAKE_GENERATOR}
      --build-options -DCMAKE_PREFIX_PATH=${install_tree} -DNOZZLE_KIND=${kind} -DCUDAToolkit_ROOT=${toolkit_root}
      --test-command linked)
    set_tests_properties(library.${kind} PROPERTIES FIXTURES_REQUIRED install_tree)
  endif()
endforeach()

add_test(NAME library.second COMMAND ${configure}
  -S ${CMAKE_CURRENT_SOURCE_DIR}/package/library -B ${CMAKE_CURRENT_BINARY_DIR}/package_second
  -DCMAKE_PREFIX_PATH=${install_tree} -DNOZZLE_FROM=${PROJECT_SOURCE_DIR})
set_tests_properties(library.second PROPERTIES
  FIXTURES_REQUIRED install_tree PASS_REGULAR_EXPRESSION "there is a library already")

find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND TARGET nozzle_shared)
  add_test(NAME library.ctypes
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/lib/example/binding.py $<TARGET_FILE:nozzle_shared>)
endif()

# A project in C does without the static library where that is optional.
add_test(NAME library.static_in_c COMMAND ${configure}
  -S ${CMAKE_CURRENT_SOURCE_DIR}/package/static_in_c -B ${CMAKE_CURRENT_BINARY_DIR}/package_static_in_c
  -DNOZZLE_CONFIG=${PROJECT_BINARY_DIR}/nozzle-config.cmake)

# A compiler for C, and pkg-config: nothing else. The header is C of 1990, too.
find_program(pkg_config pkg-config)
find_program(c_compiler NAMES cc gcc clang)
set(strict "-std=c90 -pedantic -Wall -Wextra -Werror")
function(nozzle_add_pkg_config_test name tree)
  set(library_dir ${tree}/${CMAKE_INSTALL_LIBDIR})
  set(program ${CMAKE_CURRENT_BINARY_DIR}/plain_${name})
  string(CONCAT script
    "flags=$(PKG_CONFIG_PATH='${library_dir}/pkgconfig' ${pkg_config} --cflags --libs nozzle) &&"
    " eval \"${c_compiler} ${strict} '${PROJECT_SOURCE_DIR}/lib/example/plain.c' -o '${program}' $flags\" &&"
    " LD_LIBRARY_PATH='${library_dir}' '${program}'")
  add_test(NAME library.${name} COMMAND sh -c "${script}")
endfunction()
if(pkg_config AND c_compiler)
  nozzle_add_pkg_config_test(pkg_config ${install_tree})
  set_tests_properties(library.pkg_config PROPERTIES FIXTURES_REQUIRED install_tree)
endif()

# nozzle by itself, in a shell's command.
set(nozzle_alone "-S '${PROJECT_SOURCE_DIR}' -DNOZZLE_TESTS=OFF -DNOZZLE_PERF=OFF")

# The library is a component that may be installed without the headers, and says so to who asks for them.
set(library_tree ${CMAKE_CURRENT_BINARY_DIR}/library_tree)
add_test(NAME library.without_headers COMMAND sh -c
  "'${CMAKE_COMMAND}' --install '${PROJECT_BINARY_DIR}' --prefix '${library_tree}' --component library \
  && ${shell_configure} -S '${CMAKE_CURRENT_SOURCE_DIR}/package/consumer' -B without_headers \
  '-DCMAKE_PREFIX_PATH=${library_tree}'")
set_tests_properties(library.without_headers PROPERTIES
  PASS_REGULAR_EXPRESSION "component headers is not installed")

# Headers that are installed over the library leave it as it is.
set(overwritten_tree ${CMAKE_CURRENT_BINARY_DIR}/overwritten_tree)
if(TARGET nozzle_static)
  add_test(NAME library.below_headers COMMAND sh -c
    "'${CMAKE_COMMAND}' --install '${PROJECT_BINARY_DIR}' --prefix '${overwritten_tree}' --component library \
    && ${shell_configure} ${nozzle_alone} -B headers_over_it -DNOZZLE_CUDA=OFF -DNOZZLE_BUILD_LIBRARY=OFF \
    && '${CMAKE_COMMAND}' --install headers_over_it --prefix '${overwritten_tree}' \
    && ${shell_configure} -S '${CMAKE_CURRENT_SOURCE_DIR}/package/library' -B below_headers \
    '-DCMAKE_PREFIX_PATH=${overwritten_tree}' -DNOZZLE_KIND=static")
endif()

# The folders may be absolute ones.
add_test(NAME library.absolute_folders COMMAND sh -c
  "${shell_configure} ${nozzle_alone} -B absolute_folders -DNOZZLE_CUDA=OFF -DCMAKE_INSTALL_PREFIX=/one \
  -DCMAKE_INSTALL_LIBDIR=/two/lib -DCMAKE_INSTALL_INCLUDEDIR=/three && cat absolute_folders/nozzle.pc")
set_tests_properties(library.absolute_folders PROPERTIES
  PASS_REGULAR_EXPRESSION "libdir=.{pcfiledir}/[.][.]\nincludedir=.{pcfiledir}/[.][.]/[.][.]/[.][.]/three\n")

# Multi-config generators harden the library too.
if(CMAKE_GENERATOR STREQUAL "Ninja")
  add_test(NAME library.multi_config COMMAND sh -c
    "'${CMAKE_COMMAND}' '${shell_tools}' -G 'Ninja Multi-Config' ${nozzle_alone} -B multi_config -DNOZZLE_CUDA=OFF \
    && grep FORTIFY_SOURCE multi_config/CMakeFiles/impl-Release.ninja \
    && ! grep FORTIFY_SOURCE multi_config/CMakeFiles/impl-Debug.ninja")
endif()

# Where a project compiles its device code separately, the library's is linked all the same.
if(NOZZLE_CUDA AND CMAKE_GENERATOR STREQUAL "Ninja")
  add_test(NAME library.separable COMMAND sh -c
    "${shell_configure} '-DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER}' ${nozzle_alone} -B separable \
    -DCMAKE_CUDA_SEPARABLE_COMPILATION=ON \
    && grep -e '-x cu ' separable/CMakeFiles/rules.ninja \
    && ! grep -e -rdc=true -e -dlink separable/CMakeFiles/rules.ninja")
endif()

# In a project of C++ alone, of any standard, the library is for several GPUs, in the second configuration too.
if(NOZZLE_CUDA AND CMAKE_GENERATOR STREQUAL "Ninja")
  string(CONCAT configured
    "${shell_configure} '-DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER}' -DCMAKE_CXX_STANDARD=23 "
    "'-DNOZZLE_FROM=${PROJECT_SOURCE_DIR}' -S '${CMAKE_CURRENT_SOURCE_DIR}/package/subproject' -B subproject "
    "&& grep 'compute_80.*compute_90.*compute_100' subproject/build.ninja | grep -qe -std=c++20")
  add_test(NAME library.subproject COMMAND sh -c
    "unset CUDAARCHS && rm -rf subproject && ${configured} && ${configured} \
    && '${CMAKE_COMMAND}' -DCMAKE_CUDA_ARCHITECTURES=75 -DCMAKE_CXX_STANDARD=14 subproject \
    && ! grep -q compute_80 subproject/build.ninja && grep compute_75 subproject/build.ninja | grep -qe -std=c++17")
endif()

# The packages, unpacked: what is in them is enough.
set(packages ${CMAKE_CURRENT_BINARY_DIR}/packages)
set(unpack_TGZ "tar -xzf *.tar.gz -C TGZ --strip-components=1")
set(unpack_DEB "dpkg-deb -x *.deb DEB")
function(nozzle_add_pack_test generator root)
  add_test(NAME library.pack.${generator} COMMAND sh -c
    "rm -rf '${packages}/${generator}' && mkdir -p '${packages}/${generator}/${generator}' \
    && cd '${packages}/${generator}' \
    && ${CMAKE_CPACK_COMMAND} --config '${PROJECT_BINARY_DIR}/CPackConfig.cmake' -G ${generator} -B . \
    && ${unpack_${generator}}")
  set_tests_properties(library.pack.${generator} PROPERTIES FIXTURES_SETUP pack_${generator})
  if(pkg_config AND c_compiler)
    nozzle_add_pkg_config_test(from_${generator} ${packages}/${generator}/${generator}${root})
    set_tests_properties(library.from_${generator} PROPERTIES FIXTURES_REQUIRED pack_${generator})
  endif()
endfunction()
nozzle_add_pack_test(TGZ "")
find_program(dpkg_deb dpkg-deb)
find_program(dpkg_shlibdeps dpkg-shlibdeps)
find_program(file_program file) # CPack asks it which files have a debugger's symbols
if(dpkg_deb AND dpkg_shlibdeps AND file_program)
  nozzle_add_pack_test(DEB /usr)
endif()
