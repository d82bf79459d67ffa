# What is installed and packed: the headers, the library, and what finds them: CMake's package (in the build tree too:
# nozzle_DIR names it) and pkg-config's file. CPack makes a tarball and a Debian package of it.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nozzle)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(build_dir ${PROJECT_BINARY_DIR})

# nozzle_path_from(DIR TO VARIABLE): the path from one folder of the install tree to another.
function(nozzle_path_from dir to variable)
  cmake_path(ABSOLUTE_PATH dir BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX})
  cmake_path(ABSOLUTE_PATH to BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX})
  cmake_path(NORMAL_PATH to)
  cmake_path(RELATIVE_PATH to BASE_DIRECTORY ${dir} OUTPUT_VARIABLE path)
  set(${variable} ${path} PARENT_SCOPE)
endfunction()

# What a program needs beside the static library, for CMake and for a command line.
set(static_needs Threads)
set(static_libraries "-lstdc++ -lm -lpthread")
if(OpenMP_CXX_FOUND)
  if("gomp" IN_LIST OpenMP_CXX_LIB_NAMES)
    list(APPEND static_needs OpenMP)
    string(APPEND static_libraries " -lgomp")
  else() # clang's, which other compilers do not find
    list(JOIN OpenMP_CXX_LIBRARIES " " openmp_libraries)
    string(APPEND static_libraries " ${openmp_libraries}")
  endif()
endif()
if(NOZZLE_CUDA)
  list(APPEND static_needs CUDAToolkit)
  string(APPEND static_libraries " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
endif()

# nozzle_install_target(NAME COMPONENT): nozzle::NAME in the package, by a file of its own. Exported targets of projects
# that have nozzle as a subdirectory may link it too.
function(nozzle_install_target name component)
  install(TARGETS nozzle_${name} EXPORT nozzle_${name} COMPONENT ${component})
  install(EXPORT nozzle_${name}
    FILE nozzle-${name}.cmake NAMESPACE nozzle:: DESTINATION ${package_dir} COMPONENT ${component})
  export(EXPORT nozzle_${name} FILE ${build_dir}/nozzle-${name}.cmake NAMESPACE nozzle::)
endfunction()

configure_file(lib/nozzle-config.cmake ${build_dir}/nozzle-config.cmake COPYONLY)
set(any_architecture ARCH_INDEPENDENT)
if(NOZZLE_BUILD_LIBRARY)
  set(any_architecture)
endif()
write_basic_package_version_file(${build_dir}/nozzle-config-version.cmake
  COMPATIBILITY SameMinorVersion ${any_architecture})

nozzle_install_target(headers headers)
install(DIRECTORY include/nozzle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT headers
  PATTERN *.md EXCLUDE)
foreach(component headers library)
  install(FILES lib/nozzle-config.cmake ${build_dir}/nozzle-config-version.cmake
    DESTINATION ${package_dir} COMPONENT ${component})
endforeach()

if(NOZZLE_BUILD_LIBRARY)
  set(shared_libraries)
  if(NOT TARGET nozzle_shared)
    set(shared_libraries " ${static_libraries}")
  endif()
  nozzle_path_from(${pkgconfig_dir} . from_pkgconfig_dir)
  nozzle_path_from(${pkgconfig_dir} ${CMAKE_INSTALL_LIBDIR} lib_from_pkgconfig_dir)
  nozzle_path_from(${pkgconfig_dir} ${CMAKE_INSTALL_INCLUDEDIR} include_from_pkgconfig_dir)
  configure_file(lib/nozzle.pc.in ${build_dir}/nozzle.pc @ONLY)
  install(FILES ${build_dir}/nozzle.pc DESTINATION ${pkgconfig_dir} COMPONENT library)
  install(FILES include/nozzle/nozzle.h include/nozzle/version.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nozzle COMPONENT library)

  # A file of its own: headers that are installed later, without the library, replace nozzle-config.cmake.
  file(CONFIGURE OUTPUT ${build_dir}/nozzle-needs.cmake @ONLY CONTENT "set(nozzle_static_needs @static_needs@)\n")
  install(FILES ${build_dir}/nozzle-needs.cmake DESTINATION ${package_dir} COMPONENT library)
  foreach(kind shared static)
    if(TARGET nozzle_${kind})
      nozzle_install_target(${kind} library)
    endif()
  endforeach()
endif()

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR TGZ DEB)
  set(CPACK_PACKAGE_CONTACT "The developers of nozzle")
  set(CPACK_PACKAGE_VENDOR nozzle)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  if(NOT NOZZLE_BUILD_LIBRARY)
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
  endif()
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, pkg-config, nvidia-cuda-toolkit")
  include(CPack)
endif()
