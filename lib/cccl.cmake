# CCCL brings Thrust, CUB and libcu++, for g++ too. The toolkit has one; NOZZLE_CCCL names another, which replaces it.
set(NOZZLE_CCCL "" CACHE PATH "A folder with a CCCL that replaces the toolkit's: an install tree or an unpacked wheel")

# What an earlier NOZZLE_CCCL made CMake find is forgotten.
if(NOT NOZZLE_CCCL STREQUAL "$CACHE{LAST_NOZZLE_CCCL}")
  foreach(package CCCL Thrust CUB libcudacxx)
    unset(${package}_DIR CACHE)
  endforeach()
endif()
set(LAST_NOZZLE_CCCL "${NOZZLE_CCCL}" CACHE INTERNAL "NOZZLE_CCCL of the last configuration") # not NOZZLE_*: perf/run

# nozzle_compose_cccl(PREFIX): a tree in the build folder whose CMake files find the headers. In a wheel they do not:
# lib/ lies one folder deeper there than include/.
function(nozzle_compose_cccl prefix)
  string(MD5 name ${prefix}) # another folder's headers have another path, so that what includes them is compiled again
  set(tree ${CMAKE_BINARY_DIR}/cccl/${name})
  file(REMOVE_RECURSE ${tree})
  file(COPY ${prefix}/lib DESTINATION ${tree})
  file(CREATE_LINK ${prefix}/../include ${tree}/include SYMBOLIC)
  set(CCCL_DIR ${tree}/lib/cmake/cccl CACHE PATH "CCCL's CMake files" FORCE)
endfunction()

# nozzle_locate_cccl(FOLDER): CCCL_DIR of the CCCL in this folder.
function(nozzle_locate_cccl folder)
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${CMAKE_BINARY_DIR} NORMALIZE)
  foreach(prefix "" cccl/ nvidia/cu*/ nvidia/cu*/cccl/)
    file(GLOB configs ${folder}/${prefix}lib*/cmake/cccl/cccl-config.cmake)
    foreach(config IN LISTS configs)
      cmake_path(GET config PARENT_PATH dir)
      get_filename_component(found ${dir}/../../.. ABSOLUTE)
      if(EXISTS ${found}/include)
        set(CCCL_DIR ${dir} CACHE PATH "CCCL's CMake files" FORCE)
      else()
        nozzle_compose_cccl(${found})
      endif()
      return()
    endforeach()
  endforeach()
  message(FATAL_ERROR "NOZZLE_CCCL: ${NOZZLE_CCCL}: there is no lib/cmake/cccl in this folder")
endfunction()

if(NOZZLE_CCCL)
  nozzle_locate_cccl("${NOZZLE_CCCL}")
endif()
# A project that has CCCL already, by find_package or CPM, has its targets.
if(NOT TARGET Thrust::Thrust)
  find_package(CCCL REQUIRED HINTS "${CUDAToolkit_LIBRARY_DIR}/cmake")
  if(CCCL_VERSION VERSION_LESS 3.0)
    message(FATAL_ERROR
      "nozzle needs CCCL 3.0 or newer, and ${CCCL_DIR} has ${CCCL_VERSION}. -DNOZZLE_CCCL=FOLDER names another one.")
  endif()
endif()
set(NOZZLE_CCCL_VERSION ${CCCL_VERSION} CACHE INTERNAL "The version of the CCCL that was found")
message(STATUS "CCCL ${CCCL_VERSION}: ${CCCL_DIR}")
