# The loops of host_loop.cpp, which are those of most functions, compute with vectors. Not so with sanitizers, which put
# calls between a loop's operations. clang++ writes out the rest behind a loop's blocks, and its loops for baseline
# x86-64 are not asked for: some selections on doubles stay scalar.
find_package(Python3 3.9 COMPONENTS Interpreter)
set(loops 1 650 baseline avx2 avx512)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(loops 2 200 avx2)
elseif(NOZZLE_SLOW_TESTS)
  set(loops 1 800 baseline avx2 avx512)
endif()
if(NOT NOZZLE_HOST_TESTS)
  nozzle_skip_test(vectorized "NOZZLE_HOST_TESTS is off")
elseif(NOT CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$" OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64"
    OR CMAKE_CXX_FLAGS MATCHES "-fsanitize|-march")
  nozzle_skip_test(vectorized "it reads what g++ and clang++ make for every x86-64, without sanitizers")
elseif(NOT Python3_FOUND OR NOT CMAKE_OBJDUMP)
  nozzle_skip_test(vectorized "there is no Python 3.9 or newer, or no objdump")
else()
  add_test(NAME vectorized COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/vectorized.py
    ${CMAKE_OBJDUMP} $<TARGET_FILE:nozzle_test_host_loop_cpp> ${loops})
endif()
