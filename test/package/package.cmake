# Tests of nozzle as a package: it is used from the build tree, from an install tree and as a subdirectory; each header
# compiles alone.

set(install_tree ${CMAKE_CURRENT_BINARY_DIR}/install_tree)
add_test(NAME package.install COMMAND sh -c
  "rm -rf '${install_tree}' && '${CMAKE_COMMAND}' --install '${PROJECT_BINARY_DIR}' --prefix '${install_tree}'")
set_tests_properties(package.install PROPERTIES FIXTURES_SETUP install_tree)

# Each public header, with NOZZLE_COMPILE_ALL_TESTS each header, included twice and before anything else. g++ compiles
# all but those of CUDA alone; nvcc those, nozzle.hpp and transform.hpp; where CUDA's tests are built also the public
# headers that have code of their own for it, and with NOZZLE_SLOW_TESTS all public headers.
set(cuda_alone "detail/cuda/(kernel|launch|view_access|view_kernel|view_launch|error).hpp")
file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.hpp)
if(NOT NOZZLE_COMPILE_ALL_TESTS)
  list(FILTER headers EXCLUDE REGEX detail/)
endif()
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER ${header} name)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/headers/${name})
  set(content "#include <${header}>\n#include <${header}>\n")
  file(STRINGS ${PROJECT_SOURCE_DIR}/include/${header} cuda_code REGEX "__CUDA|__device__|NV_IF_TARGET")
  if(NOT header MATCHES "${cuda_alone}")
    file(CONFIGURE OUTPUT ${file}.cpp CONTENT "${content}")
    list(APPEND host_files ${file}.cpp)
  endif()
  if(header MATCHES "${cuda_alone}|nozzle/(nozzle|transform).hpp"
      OR (NOT header MATCHES detail/ AND (tests_run_on_gpu OR NOZZLE_COMPILE_ALL_TESTS)
          AND (cuda_code OR NOZZLE_SLOW_TESTS)))
    file(CONFIGURE OUTPUT ${file}.cu CONTENT "${content}")
    list(APPEND cuda_files ${file}.cu)
  endif()
endforeach()
if(NOT "${CMAKE_CXX_STANDARD}" GREATER 17) # later standards' own headers include more, and hide what is missing
  add_library(nozzle_headers_alone OBJECT ${host_files})
  target_link_libraries(nozzle_headers_alone PRIVATE nozzle::headers nozzle_warnings)
endif()
if(NOZZLE_CUDA)
  add_library(nozzle_headers_alone_cuda OBJECT ${cuda_files})
  target_link_libraries(nozzle_headers_alone_cuda PRIVATE nozzle::headers nozzle_warnings)
  nozzle_compile_to_ptx(nozzle_headers_alone_cuda)
endif()

# nozzle.hpp has every activation.
file(READ ${PROJECT_SOURCE_DIR}/include/nozzle/nozzle.hpp all_headers)
foreach(header IN LISTS headers)
  if(NOT header MATCHES "^nozzle/activation/")
    continue()
  endif()
  if(NOT all_headers MATCHES "#include <${header}>")
    message(FATAL_ERROR "nozzle.hpp does not include ${header}")
  endif()
endforeach()

# The toolkit's root is all that a consumer has to say: its programs need not be on the path.
get_filename_component(toolkit_root "${CUDAToolkit_BIN_DIR}" DIRECTORY)
function(nozzle_add_package_test name)
  add_test(NAME package.${name} COMMAND ${CMAKE_CTEST_COMMAND}
    --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/package/consumer ${CMAKE_CURRENT_BINARY_DIR}/package_${name}
    --build-generator ${CMAKE_GENERATOR} --build-makeprogram ${CMAKE_MAKE_PROGRAM}
    --build-options ${ARGN} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCUDAToolkit_ROOT=${toolkit_root}
      -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF
    --test-command consumer)
endfunction()
nozzle_add_package_test(from_build_tree -Dnozzle_DIR=${PROJECT_BINARY_DIR})
nozzle_add_package_test(from_install_tree -DCMAKE_PREFIX_PATH=${install_tree})
set_tests_properties(package.from_install_tree PROPERTIES FIXTURES_REQUIRED install_tree)

# The command that configures other projects; the same for a shell.
set(tools -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}
  -DCUDAToolkit_ROOT=${toolkit_root})
set(configure ${CMAKE_COMMAND} ${tools} -G ${CMAKE_GENERATOR})
list(JOIN tools "' '" shell_tools)
set(shell_configure "'${CMAKE_COMMAND}' '${shell_tools}' -G '${CMAKE_GENERATOR}'")

if(NOT NOZZLE_HOST_TESTS) # what follows is the same in every build
  return()
endif()

nozzle_add_package_test(from_subdirectory -DNOZZLE_FROM=${PROJECT_SOURCE_DIR})
nozzle_add_package_test(second_library -DNOZZLE_FROM=${PROJECT_SOURCE_DIR} -DNOZZLE_SECOND_LIBRARY=ON)
set_tests_properties(package.second_library PROPERTIES PASS_REGULAR_EXPRESSION "headers without the library")

# Exported targets of such a project may link nozzle's, and the package that is installed with them says no path of it.
add_test(NAME package.exported COMMAND sh -c
  "${shell_configure} -S '${CMAKE_CURRENT_SOURCE_DIR}/package/exported' -B package_exported \
  '-DNOZZLE_FROM=${PROJECT_SOURCE_DIR}' \
  && rm -rf package_exported/tree && '${CMAKE_COMMAND}' --install package_exported --prefix package_exported/tree \
  && cd package_exported/tree && grep nozzle::headers lib/cmake/exported/*.cmake \
  && ! grep -rF '${PROJECT_SOURCE_DIR}' lib")

# An old CCCL is refused by CMake.
set(old_cccl ${CMAKE_CURRENT_BINARY_DIR}/old_cccl)
file(CONFIGURE OUTPUT ${old_cccl}/lib/cmake/cccl/cccl-config.cmake CONTENT "set(CCCL_VERSION 2.8.2)\n")
file(MAKE_DIRECTORY ${old_cccl}/include)
add_test(NAME package.old_cccl COMMAND ${configure} -S ${PROJECT_SOURCE_DIR}
  -B ${CMAKE_CURRENT_BINARY_DIR}/package_old_cccl -DNOZZLE_CCCL=${old_cccl} -DNOZZLE_CUDA=OFF
  -DNOZZLE_BUILD_LIBRARY=OFF -DNOZZLE_TESTS=OFF -DNOZZLE_PERF=OFF)
set_tests_properties(package.old_cccl PROPERTIES PASS_REGULAR_EXPRESSION "nozzle needs CCCL 3.0 or newer, and")
