# Tests of README's quick start, on every system, and of the pages in lib/example that use the headers. Hosts run all
# but those of CUDA.

# nozzle_add_example(SOURCE SYSTEM): SYSTEM as nozzle_add_test has it.
function(nozzle_add_example source system)
  cmake_path(GET source STEM stem)
  if(system STREQUAL "gpu" AND skip_gpu_tests)
    nozzle_skip_test(example_${stem}.cuda "it is built where there is a GPU")
    if(NOZZLE_COMPILE_ALL_TESTS)
      nozzle_add_system_program(nozzle_test_example_${stem}_cuda ptx ${source})
    endif()
    return()
  endif()
  string(REPLACE gpu cuda system ${system})
  if(NOT system IN_LIST systems)
    return()
  endif()
  set(program nozzle_test_example_${stem}_${system})
  nozzle_add_system_program(${program} ${system} ${source})
  # As its users write it, a page does not skip: without a GPU it ends in an exception. The shell makes an exit status
  # of that, which ctest would count as a failure before it looks for the text.
  add_test(NAME example_${stem}.${system} COMMAND sh -c "'$<TARGET_FILE:${program}>' || exit 1")
  set_tests_properties(example_${stem}.${system} PROPERTIES
    SKIP_REGULAR_EXPRESSION "no CUDA-capable device is detected;CUDA driver version is insufficient"
    ENVIRONMENT OMP_WAIT_POLICY=passive)
endfunction()

# README's first C++ block is a whole program.
file(READ ${PROJECT_SOURCE_DIR}/README.md readme)
string(REGEX MATCH "```cpp\n([^`]*)```" block "${readme}")
file(CONFIGURE OUTPUT quick_start.cpp CONTENT "${CMAKE_MATCH_1}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md)
foreach(system IN LISTS systems)
  nozzle_add_example(${CMAKE_CURRENT_BINARY_DIR}/quick_start.cpp ${system})
endforeach()

set(examples ${PROJECT_SOURCE_DIR}/lib/example)
file(GLOB pages CONFIGURE_DEPENDS ${examples}/headers/*.cpp)
foreach(page IN LISTS pages)
  nozzle_add_example(${page} omp)
  nozzle_add_example(${page} gpu)
endforeach()
nozzle_add_example(${examples}/headers/streams.cu gpu)
nozzle_add_example(${examples}/perceptron/perceptron.cpp omp)
if(TARGET CUDA::cublas) # which it uses on a GPU
  nozzle_add_example(${examples}/perceptron/perceptron.cpp gpu)
endif()
if(TARGET nozzle_test_example_perceptron_cuda)
  target_link_libraries(nozzle_test_example_perceptron_cuda PRIVATE CUDA::cublas)
endif()
