# The serial C library of HDF5 (BSD); CMake's own FindHDF5 may pick the MPI build where both are installed.
find_path(HDF5SERIAL_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5SERIAL_LIBRARY NAMES hdf5_serial hdf5)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5Serial REQUIRED_VARS HDF5SERIAL_LIBRARY HDF5SERIAL_INCLUDE_DIR)
if(HDF5Serial_FOUND AND NOT TARGET HDF5Serial::HDF5)
  add_library(HDF5Serial::HDF5 UNKNOWN IMPORTED)
  set_target_properties(HDF5Serial::HDF5 PROPERTIES IMPORTED_LOCATION ${HDF5SERIAL_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${HDF5SERIAL_INCLUDE_DIR})
endif()
mark_as_advanced(HDF5SERIAL_INCLUDE_DIR HDF5SERIAL_LIBRARY)
