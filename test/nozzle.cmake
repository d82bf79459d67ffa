# The compiled library: its C interface, and who links with it.

# nozzle_add_library_test(STEM SYSTEM...): nozzle_add_test, linked with the library. The many functors that are called there to
# compare with are in one file: without much optimization it compiles in a third of the time.
function(nozzle_add_library_test stem)
  nozzle_add_test(${stem} ${ARGN})
  foreach(system IN LISTS ARGN)
    set(program nozzle_test_${stem}_${system})
    if(TARGET ${program})
      target_link_libraries(${program} PRIVATE nozzle::nozzle)
      target_compile_options(${program} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-O1>)
    endif()
  endforeach()
endfunction()

nozzle_add_library_test(nozzle_results cpp cuda)
