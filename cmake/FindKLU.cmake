# SuiteSparse ships no CMake files in Debian 12: find KLU by hand. Only KLU and AMD and what they need are linked (LGPL, BSD), never
# the GPL parts of SuiteSparse.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
find_library(KLU_LIBRARY klu)
find_library(AMD_LIBRARY amd)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_LIBRARY AMD_LIBRARY KLU_INCLUDE_DIR)
if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU UNKNOWN IMPORTED)
  set_target_properties(KLU::KLU PROPERTIES IMPORTED_LOCATION ${KLU_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${KLU_INCLUDE_DIR}
                        INTERFACE_LINK_LIBRARIES ${AMD_LIBRARY})
endif()
mark_as_advanced(KLU_INCLUDE_DIR KLU_LIBRARY AMD_LIBRARY)
