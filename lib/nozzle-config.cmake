# nozzle's package. Its components:
#   headers  nozzle::headers, for C++ and CUDA; it needs the CUDA Toolkit
#   library  nozzle::nozzle, the compiled library behind nozzle/nozzle.h: nozzle::shared, or nozzle::static if that is
#            the only one installed. The shared one needs nothing.
# Without components: the headers, and the library if it is installed.
cmake_policy(VERSION 3.25...4.0) # here alone: the project's may be older
include(CMakeFindDependencyMacro)

set(nozzle_library_kinds)
foreach(kind shared static)
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/nozzle-${kind}.cmake)
    list(APPEND nozzle_library_kinds ${kind})
  endif()
endforeach()

set(nozzle_components ${nozzle_FIND_COMPONENTS})
if(NOT nozzle_components)
  set(nozzle_components headers)
  if(nozzle_library_kinds)
    list(APPEND nozzle_components library)
  endif()
endif()

# The static library is linked as C++. A project without C++ has the shared one alone.
get_property(nozzle_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("library" IN_LIST nozzle_components AND NOT "CXX" IN_LIST nozzle_languages)
  if(nozzle_library_kinds STREQUAL "static" AND (NOT nozzle_FIND_COMPONENTS OR nozzle_FIND_REQUIRED_library))
    set(nozzle_FOUND FALSE)
    set(nozzle_NOT_FOUND_MESSAGE "only the static library is installed, which needs the language CXX in project()")
    return()
  endif()
  list(REMOVE_ITEM nozzle_library_kinds static)
endif()

# Where the headers are optional, the library is found without the toolkit, and beside an old CCCL.
if("headers" IN_LIST nozzle_FIND_COMPONENTS AND NOT nozzle_FIND_REQUIRED_headers)
  find_package(CUDAToolkit QUIET)
  if(NOT CUDAToolkit_FOUND)
    list(REMOVE_ITEM nozzle_components headers)
  elseif(NOT TARGET Thrust::Thrust)
    find_package(CCCL QUIET HINTS "${CUDAToolkit_LIBRARY_DIR}/cmake")
    if(NOT CCCL_FOUND OR CCCL_VERSION VERSION_LESS 3.0)
      list(REMOVE_ITEM nozzle_components headers)
    endif()
  endif()
endif()

if("headers" IN_LIST nozzle_components AND EXISTS ${CMAKE_CURRENT_LIST_DIR}/nozzle-headers.cmake)
  find_dependency(CUDAToolkit)
  if(NOT TARGET Thrust::Thrust) # a project that has CCCL already has this target
    find_dependency(CCCL HINTS "${CUDAToolkit_LIBRARY_DIR}/cmake")
    if(CCCL_VERSION VERSION_LESS 3.0)
      set(nozzle_FOUND FALSE)
      set(nozzle_NOT_FOUND_MESSAGE "nozzle needs CCCL 3.0 or newer, and ${CCCL_DIR} has ${CCCL_VERSION}")
      return()
    endif()
  endif()
  include(${CMAKE_CURRENT_LIST_DIR}/nozzle-headers.cmake)
  set(nozzle_headers_FOUND TRUE)
endif()

if("library" IN_LIST nozzle_components AND nozzle_library_kinds)
  if("shared" IN_LIST nozzle_library_kinds)
    include(${CMAKE_CURRENT_LIST_DIR}/nozzle-shared.cmake)
  endif()
  if("static" IN_LIST nozzle_library_kinds)
    # With the shared library the static one's dependencies are optional.
    include(${CMAKE_CURRENT_LIST_DIR}/nozzle-needs.cmake) # nozzle_static_needs
    set(nozzle_parts_of_OpenMP COMPONENTS CXX) # else every language of the project must have it
    set(nozzle_static_found TRUE)
    foreach(package IN LISTS nozzle_static_needs)
      if("shared" IN_LIST nozzle_library_kinds)
        find_package(${package} QUIET ${nozzle_parts_of_${package}})
      else()
        find_dependency(${package} ${nozzle_parts_of_${package}})
      endif()
      if(NOT ${package}_FOUND)
        set(nozzle_static_found FALSE)
      endif()
    endforeach()
    if(nozzle_static_found)
      include(${CMAKE_CURRENT_LIST_DIR}/nozzle-static.cmake)
    endif()
  endif()
  if(NOT TARGET nozzle::nozzle)
    list(GET nozzle_library_kinds 0 nozzle_kind)
    add_library(nozzle::nozzle ALIAS nozzle::${nozzle_kind})
  endif()
  set(nozzle_library_FOUND TRUE)
endif()

foreach(component IN LISTS nozzle_components)
  if(NOT nozzle_${component}_FOUND AND (NOT nozzle_FIND_COMPONENTS OR nozzle_FIND_REQUIRED_${component}))
    set(nozzle_FOUND FALSE)
    set(nozzle_NOT_FOUND_MESSAGE "component ${component} is not installed; its components are headers and library")
  endif()
endforeach()
