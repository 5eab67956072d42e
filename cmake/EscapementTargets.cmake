# One target per folder, so linking is permission; unit tests sit beside the code as x_test.cpp.

# What no step computes is optimised lightly, in half the time: -O1, which still contracts a·b + c as -O2 and -O3 do, so that
# digits stay. Everything else has CMake's -O3.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(escapement_lightly -O1 -fexpensive-optimizations)
else()
  set(escapement_lightly -O1)
endif()
# LEVEL: lightly, or a flag. With sanitizers all is -O1.
function(escapement_optimise target level)
  if(ESCAPEMENT_SANITIZE)
    return()
  endif()
  if(level STREQUAL "lightly")
    set(level ${escapement_lightly})
  endif()
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release,RelWithDebInfo>:${level}>")
endfunction()

# escapement_library(<folder> LINKS <targets>): src/<folder>/*.cpp without the tests. OPTIMISE <level>; BATCHES <n>: the compiler
# reads so many files at once, and what they include, and makes what they share, once. HOT <regex>: these are neither batched nor
# optimised less than CMake does.
function(escapement_library name)
  cmake_parse_arguments(ARG "RECURSE" "OPTIMISE;BATCHES;HOT" "LINKS;PRIVATE" ${ARGN})
  if(ARG_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  else()
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  endif()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(targets escapement_${name})
  if(ARG_HOT)
    set(hot ${sources})
    list(FILTER hot INCLUDE REGEX "/${name}/(${ARG_HOT})\\.cpp$")
    list(REMOVE_ITEM sources ${hot})
    add_library(escapement_${name}_hot OBJECT ${hot})
    list(APPEND targets escapement_${name}_hot)
    list(APPEND sources $<TARGET_OBJECTS:escapement_${name}_hot>)
  endif()
  add_library(escapement_${name} STATIC ${sources})
  add_library(escapement::${name} ALIAS escapement_${name})
  foreach(target ${targets})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(${target} PUBLIC
        $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PUBLIC ${ARG_LINKS} PRIVATE $<BUILD_INTERFACE:escapement_flags> ${ARG_PRIVATE})
  endforeach()
  if(ARG_OPTIMISE)
    escapement_optimise(escapement_${name} ${ARG_OPTIMISE})
  endif()
  if(ARG_BATCHES)
    escapement_batches(escapement_${name} ${ARG_BATCHES})
  endif()
  install(TARGETS escapement_${name} EXPORT escapement ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # The checks of elements compare figures, and take long to compile: with the optimised build only.
  if(ESCAPEMENT_TESTS AND tests AND NOT (ESCAPEMENT_SANITIZE AND name STREQUAL "components"))
    escapement_test(unit.${name} SOURCES ${tests} LINKS escapement_${name})
  endif()
endfunction()

# Files of a batch share one anonymous namespace: what is only in one of them still needs a name of its own in the folder.
function(escapement_batches target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${ESCAPEMENT_BATCHES} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# escapement_precompile(<folder> <headers below src> [FMT]): and fmt's, which belongs there wherever files of a target include it:
# its pragmas, read later, would bring back the level of optimisation with which g++ made the precompiled header.
function(escapement_precompile name)
  cmake_parse_arguments(ARG "FMT" "" "" ${ARGN})
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src/)
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS APPEND >)
  if(ARG_FMT)
    list(APPEND ARG_UNPARSED_ARGUMENTS <fmt/format.h>)
  endif()
  target_precompile_headers(escapement_${name} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  if(TARGET escapement_${name}_hot)
    target_precompile_headers(escapement_${name}_hot PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  endif()
endfunction()

# escapement_registration(<folder>): the list of components, from the functions `ComponentType <domain>_<name>()` that
# the files src/<folder>/<domain>/<name>.cpp define. Nothing registers itself.
function(escapement_registration folder)
  file(GLOB sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/${folder} CONFIGURE_DEPENDS
       ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*/*.cpp)
  set(declarations "")
  set(calls "")
  foreach(source ${sources})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${source})
    string(REGEX REPLACE "^([^/]+)/([^/]+)\\.cpp$" "\\1_\\2" name ${source})
    file(STRINGS ${folder}/${source} found REGEX "^ComponentType ${name}\\(\\) {")
    if(found)
      string(APPEND declarations "ComponentType ${name}();\n")
      string(APPEND calls "  types.push_back(${name}());\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/registration.cpp CONTENT
"// Generated from the folders of src/${folder}.
#include \"components/registry.hpp\"
#include \"netlist/netlist.hpp\"

namespace escapement {

@declarations@
Registry standard_registry() {
  std::vector<ComponentType> types;
@calls@  return Registry(std::move(types), {netlist_format()});
}

}  // namespace escapement
" @ONLY)
  target_sources(escapement_${folder} PRIVATE ${CMAKE_BINARY_DIR}/generated/registration.cpp)
endfunction()

# The header for C functions as text (sources are compiled with it wherever the program stands), and the hashes of the C
# functions among the examples, which are trusted.
function(escapement_external_data)
  set(header ${CMAKE_SOURCE_DIR}/include/escapement/function.h)
  file(GLOB shipped CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*/*.c)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header} ${shipped})
  file(READ ${header} text)
  set(hashes "")
  foreach(source ${shipped})
    file(SHA256 ${source} hash)
    string(APPEND hashes "\n      \"${hash}\",")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/external_data.cpp CONTENT
"// Generated from include/escapement/function.h and examples/*/*.c.
#include \"external/trust.hpp\"

namespace escapement::external {

extern const char* const function_header;
const char* const function_header = R\"header(@text@)header\";

const std::vector<std::string>& shipped_hashes() {
  static const std::vector<std::string> hashes = {@hashes@};
  return hashes;
}

}  // namespace escapement::external
" @ONLY)
  target_sources(escapement_external PRIVATE ${CMAKE_BINARY_DIR}/generated/external_data.cpp)
  target_include_directories(escapement_external PUBLIC
      $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# escapement_test(<ctest name> SOURCES … LINKS … [LABELS …]): one doctest program, one CTest test.
function(escapement_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  string(REPLACE "." "_" target ${name})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_LINKS} escapement_test_main escapement_flags)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  escapement_optimise(${target} lightly)
  add_test(NAME ${name} COMMAND ${target})
  if(NOT ARG_LABELS)
    set(ARG_LABELS quick)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600 ENVIRONMENT "${escapement_test_home}")
endfunction()

# Tests use nobody's settings and leave nothing in anybody's cache.
set(escapement_test_home "XDG_CONFIG_HOME=${CMAKE_BINARY_DIR}/home/config;XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/home/cache")

if(ESCAPEMENT_TESTS)
  find_package(doctest REQUIRED)
  file(WRITE ${CMAKE_BINARY_DIR}/generated/test_main.cpp
       "#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include <doctest/doctest.h>\n")
  add_library(escapement_test_main STATIC ${CMAKE_BINARY_DIR}/generated/test_main.cpp)
  target_link_libraries(escapement_test_main PUBLIC doctest::doctest)
endif()
