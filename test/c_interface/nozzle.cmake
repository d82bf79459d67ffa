# The C interface of the compiled library.

# nozzle_add_library_tests(NAME SYSTEM STEM...): nozzle_add_tests, linked with the library.
function(nozzle_add_library_tests name system)
  list(TRANSFORM ARGN PREPEND c_interface/ OUTPUT_VARIABLE sources)
  nozzle_add_tests(${name} SYSTEMS ${system} SOURCES ${sources})
  foreach(program nozzle_test_${name}_cpp nozzle_test_${name}_cuda)
    if(TARGET ${program})
      target_link_libraries(${program} PRIVATE nozzle::nozzle)
      target_compile_definitions(${program} PRIVATE $<$<BOOL:${NOZZLE_ALL_FUNCTIONS}>:NOZZLE_ALL_FUNCTIONS>)
    endif()
  endforeach()
endfunction()

nozzle_add_library_tests(nozzle cpp nozzle)
target_compile_options(nozzle_test_nozzle_cpp PRIVATE -O1) # at -O2 it compiles four times as long
target_compile_definitions(nozzle_test_nozzle_cpp PRIVATE
  $<$<BOOL:${NOZZLE_OPERATIONS}>:NOZZLE_OPERATIONS=${NOZZLE_OPERATIONS}>
  NOZZLE_README="${PROJECT_SOURCE_DIR}/README.md"
  NOZZLE_HEADER="${PROJECT_SOURCE_DIR}/include/nozzle/nozzle.h"
  NOZZLE_LIBRARY_README="${PROJECT_SOURCE_DIR}/lib/README.md")
if(TARGET nozzle_shared)
  # Not linked with the library: it loads it.
  nozzle_add_test(c_interface/nozzle_process cpp)
  add_dependencies(nozzle_test_nozzle_process_cpp nozzle_shared)
  target_compile_definitions(nozzle_test_nozzle_process_cpp PRIVATE NOZZLE_LIBRARY="$<TARGET_FILE:nozzle_shared>")
  target_link_libraries(nozzle_test_nozzle_process_cpp PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(nozzle_test_nozzle_process_cpp PROPERTIES ENABLE_EXPORTS ON) # its pthread_create is everybody's
endif()
nozzle_add_library_tests(nozzle_cost cpp nozzle_cost)
nozzle_add_library_tests(results cpp nozzle_results nozzle_matrices)
nozzle_add_library_tests(results gpu nozzle_results nozzle_cost)
nozzle_add_library_tests(matrices gpu nozzle_matrices nozzle_cuda)
foreach(test IN ITEMS nozzle_cost.cpp nozzle_cost.cuda)
  if(TEST ${test})
    set_property(TEST ${test} PROPERTY RUN_SERIAL ON) # it takes times
  endif()
endforeach()
if(TARGET nozzle_static) # CUDA's runtime, inside the library too, is the test's own
  nozzle_add_test(c_interface/nozzle_launch cuda)
  if(TARGET nozzle_test_nozzle_launch_cuda)
    target_link_libraries(nozzle_test_nozzle_launch_cuda PRIVATE nozzle::static)
    nozzle_fake_runtime(nozzle_test_nozzle_launch_cuda)
  endif()
endif()
