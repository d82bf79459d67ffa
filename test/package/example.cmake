# Tests of README's quick start, on every system, and of the pages in lib/example that use the headers. Hosts run all
# but those of CUDA. nvcc compiles those and the perceptron, which uses cuBLAS; where there is a GPU, or with
# NOZZLE_SLOW_TESTS, all.

function(nozzle_add_example source system)
  cmake_path(GET source STEM stem)
  if(NOT system IN_LIST systems)
    return()
  endif()
  set(program nozzle_test_example_${stem}_${system})
  nozzle_add_system_program(${program} ${system} ${source})
  # As its users write it, a page does not skip: without a GPU it ends in an exception. The shell makes an exit status
  # of that, which ctest would count as a failure before it looks for the text.
  add_test(NAME example_${stem}.${system} COMMAND sh -c "'$<TARGET_FILE:${program}>' || exit 1")
  set_tests_properties(example_${stem}.${system} PROPERTIES
    SKIP_REGULAR_EXPRESSION "no CUDA-capable device is detected;CUDA driver version is insufficient")
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
  if(tests_run_on_gpu)
    nozzle_add_example(${page} cuda)
  endif()
endforeach()
nozzle_add_example(${examples}/headers/streams.cu cuda)
nozzle_add_example(${examples}/perceptron/perceptron.cpp omp)
nozzle_add_example(${examples}/perceptron/perceptron.cpp cuda)
if(TARGET nozzle_test_example_perceptron_cuda)
  target_link_libraries(nozzle_test_example_perceptron_cuda PRIVATE CUDA::cublas)
endif()
