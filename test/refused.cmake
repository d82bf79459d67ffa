# What must not compile, and what the compiler must say of it: nozzle_refuse(STEM MESSAGE).
function(nozzle_refuse stem message)
  set(target nozzle_refused_${stem})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL refused/${stem}.cpp)
  target_link_libraries(${target} PRIVATE nozzle::headers)
  add_test(NAME refused.${stem} COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target ${target})
  set_tests_properties(refused.${stem} PROPERTIES PASS_REGULAR_EXPRESSION "${message}" RESOURCE_LOCK build)
endfunction()

nozzle_refuse(gradient_from_result "the result of this activation does not determine its slope")
nozzle_refuse(gradient "it knows no other functor's slope")
