# tcConfig.cmake - find_package(tc): the target tc::tc, a directory of headers, and tc_add_emulated_test. It finds both
# from where it lies itself.
get_filename_component(tc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET tc::tc)
  add_library(tc::tc INTERFACE IMPORTED)
  set_target_properties(tc::tc PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${tc_prefix}/include")
endif()
set(tc_tcemu_hint "${tc_prefix}/bin")
include("${CMAKE_CURRENT_LIST_DIR}/tcEmulated.cmake")
unset(tc_prefix)
