# Every function of the catalogue against its definition. Functors are called there in a plain loop or in a plain
# kernel, so that one host system stands for all: transform's tests have the others.
nozzle_add_tests(numbers SYSTEMS cpp SOURCES accuracy/accuracy_double accuracy/accuracy_float accuracy/accuracy_random)
nozzle_add_tests(numbers SYSTEMS gpu SOURCES accuracy/accuracy_double accuracy/accuracy_float)
nozzle_add_tests(narrow SYSTEMS cpp gpu SOURCES accuracy/accuracy_16_bit accuracy/accuracy_8_bit
                 accuracy/accuracy_mixed)
nozzle_add_test(accuracy/accuracy cpp)

# Each fma is a call, unless this processor has the instruction: the same bits in two thirds of the time.
nozzle_add_test(accuracy/accuracy_formulas cpp)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_CXX_FLAGS MATCHES "-march")
  include(CheckCXXSourceRuns)
  check_cxx_source_runs("int main() { return !__builtin_cpu_supports(\"fma\"); }" NOZZLE_PROCESSOR_HAS_FMA)
  if(NOZZLE_PROCESSOR_HAS_FMA)
    target_compile_options(nozzle_test_accuracy_formulas_cpp PRIVATE -mfma -ffp-contract=off)
  endif()
endif()

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
