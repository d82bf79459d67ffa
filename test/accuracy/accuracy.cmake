# Every function of the catalogue against its definition. Functors are called there in a plain loop or in a plain
# kernel, so that one host system stands for all: transform's tests have the others.
foreach(type IN ITEMS double float 16_bit 8_bit)
  nozzle_add_test(accuracy/accuracy_${type} cpp gpu)
endforeach()
nozzle_add_test(accuracy/accuracy cpp)
nozzle_add_test(accuracy/accuracy_formulas cpp)
nozzle_add_test(accuracy/accuracy_random cpp)

# On every float, for a person to run; with NOZZLE_SLOW_TESTS or on a GPU ctest runs it on a few.
find_package(Threads REQUIRED)
nozzle_add_system_program(nozzle_exhaustive_host cpp accuracy/exhaustive.cpp)
target_link_libraries(nozzle_exhaustive_host PRIVATE Threads::Threads)
if(NOZZLE_SLOW_TESTS)
  target_compile_options(nozzle_exhaustive_host PRIVATE -O1) # for a few floats: it compiles faster
  add_test(NAME exhaustive.host COMMAND nozzle_exhaustive_host --stride 1048583)
else()
  set_target_properties(nozzle_exhaustive_host PROPERTIES EXCLUDE_FROM_ALL ON)
  nozzle_skip_test(exhaustive.host "NOZZLE_SLOW_TESTS is off")
endif()
if(NOZZLE_CUDA AND tests_run_on_gpu)
  nozzle_add_system_program(nozzle_exhaustive cuda accuracy/exhaustive.cpp)
  target_link_libraries(nozzle_exhaustive PRIVATE Threads::Threads)
  add_test(NAME exhaustive COMMAND nozzle_exhaustive --stride 65537)
  add_test(NAME exhaustive.on_host COMMAND nozzle_exhaustive --on host --stride 1048583)
  set_tests_properties(exhaustive exhaustive.on_host PROPERTIES SKIP_RETURN_CODE 77 RESOURCE_LOCK gpu)
elseif(NOZZLE_CUDA)
  nozzle_skip_test(exhaustive "it is built where there is a GPU")
endif()
