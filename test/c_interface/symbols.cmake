# Fails unless LIBRARY, a shared one, exports just what HEADER declares. NM reads the one, a search for NOZZLE_API the
# other.
file(READ ${HEADER} header)
string(REGEX MATCHALL "NOZZLE_API [^;]*;" declarations "${header}")
set(declared)
foreach(declaration IN LISTS declarations)
  string(REGEX MATCH "(nozzle_[a-z_]+)\\(" name "${declaration}")
  list(APPEND declared ${CMAKE_MATCH_1})
endforeach()
list(SORT declared)

execute_process(COMMAND ${NM} --dynamic --extern-only --defined-only ${LIBRARY}
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
# The version of the symbols is one itself, an absolute one.
string(REGEX MATCHALL "[0-9a-f]+ [B-Zb-z] [^\n@]+" lines "${symbols}")
list(TRANSFORM lines REPLACE "^[0-9a-f]+ [A-Za-z] " "" OUTPUT_VARIABLE exported)
list(SORT exported)

if(NOT declared OR NOT exported STREQUAL declared)
  message(FATAL_ERROR "${LIBRARY} exports\n  ${exported}\nbut the header declares\n  ${declared}")
endif()
