# Fails unless LIBRARY, a shared one, is hardened: its tables are read-only once it is loaded (full RELRO), no stack is
# executable, functions check their stacks and the calls that FORTIFY knows, and with CET the code begins with a mark
# for jumps. (CET's note is the linker's to write, for which Debian's crti.o and CUDA's runtime would need it too.)
# READELF and OBJDUMP read it.
execute_process(COMMAND ${READELF} --wide --segments --dynamic --dyn-syms ${LIBRARY}
  OUTPUT_VARIABLE facts COMMAND_ERROR_IS_FATAL ANY)
set(wanted GNU_RELRO BIND_NOW "GNU_STACK[^\n]*RW " __stack_chk_fail _chk@)
if(CET)
  execute_process(COMMAND ${OBJDUMP} --disassemble=nozzle_apply ${LIBRARY}
    OUTPUT_VARIABLE code COMMAND_ERROR_IS_FATAL ANY)
  string(APPEND facts "${code}")
  list(APPEND wanted endbr64)
endif()
foreach(each IN LISTS wanted)
  if(NOT facts MATCHES "${each}")
    message(FATAL_ERROR "${LIBRARY} is not hardened: ${each} is not in\n${facts}")
  endif()
endforeach()
