# One library, one test binary and (on demand) one benchmark binary per folder of src.

# cadre_folder(<name> [DEPENDS <folder>...])
#   cadre_<name>   from src/<name>/*.cc without tests, benchmarks and main.cc; empty INTERFACE library without sources
#   <name>_test    from *_test.cc and *_testing.cc (helpers of tests), linked with everything the folder links
#   <name>_bench   from *_bench.cc when CADRE_BENCH is on
# Sets cadre_<name>_scope to PUBLIC or INTERFACE, the scope in which the library may be given more to link.
function(cadre_folder name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  set(folder "${CMAKE_SOURCE_DIR}/src/${name}")
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cc")
  file(GLOB tests CONFIGURE_DEPENDS "${folder}/*_test.cc" "${folder}/*_testing.cc")
  file(GLOB benches CONFIGURE_DEPENDS "${folder}/*_bench.cc")
  list(FILTER sources EXCLUDE REGEX "(_test|_testing|_bench|[/_]main)\\.cc$")

  if(sources)
    set(scope PUBLIC)
    add_library(cadre_${name} STATIC ${sources})
    cadre_use_pch(cadre_${name} cadre_pch)
  else()
    set(scope INTERFACE)
    add_library(cadre_${name} INTERFACE)
  endif()
  target_include_directories(cadre_${name} ${scope} "${CMAKE_SOURCE_DIR}/src")
  list(TRANSFORM arg_DEPENDS PREPEND cadre_ OUTPUT_VARIABLE libraries)
  target_link_libraries(cadre_${name} ${scope} ${libraries})
  set(cadre_${name}_scope ${scope} PARENT_SCOPE)

  if(tests AND CADRE_TESTS)
    cadre_add_test(${name}_test cadre_${name} ${tests})
  endif()
  if(benches AND CADRE_BENCH)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE cadre_${name} benchmark::benchmark benchmark::benchmark_main)
    target_compile_definitions(${name}_bench PRIVATE CADRE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  endif()
endfunction()

# cadre_add_test(<target> <library> <source>...): a gtest binary, each of whose cases ctest runs as <target>.<case>.
function(cadre_add_test target library)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE ${library} cadre_testing)
  target_compile_definitions(${target} PRIVATE CADRE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  cadre_use_pch(${target} cadre_test_pch)
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${target}." DISCOVERY_TIMEOUT 60
                       WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
                       PROPERTIES TIMEOUT 1200 ENVIRONMENT "RC_PARAMS=${CADRE_RC_PARAMS}")
endfunction()

# cadre_tests_in(<folder> <target>): all of <folder>/*.cc as one test binary that may use everything.
function(cadre_tests_in folder target)
  file(GLOB tests CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.cc")
  if(tests AND CADRE_TESTS)
    cadre_add_test(${target} cadre_app ${tests})
  endif()
endfunction()

# cadre_bench_program(<name> DEPENDS <folder of src>...): bench/<name>/*.cc become the program <name>_bench when
# CADRE_BENCH is on; scripts/bench builds it before it runs bench/<name>/run. Such a folder of bench stands instead of
# src/<name>/*_bench.cc, not beside them: the target is the same.
function(cadre_bench_program name)
  if(NOT CADRE_BENCH)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/bench/${name}/*.cc")
  add_executable(${name}_bench ${sources})
  list(TRANSFORM arg_DEPENDS PREPEND cadre_ OUTPUT_VARIABLE libraries)
  target_link_libraries(${name}_bench PRIVATE ${libraries})
  target_include_directories(${name}_bench PRIVATE "${CMAKE_SOURCE_DIR}")
endfunction()

# cadre_python_test(<name> <script> <target>): ctest runs the script with the path of the target's program. It skips
# itself by printing what a skipped gtest prints.
function(cadre_python_test name script target)
  find_program(CADRE_PYTHON python3)
  if(CADRE_PYTHON AND CADRE_TESTS AND TARGET ${target})
    add_test(NAME ${name} COMMAND "${CADRE_PYTHON}" "${CMAKE_SOURCE_DIR}/${script}" "$<TARGET_FILE:${target}>")
    set_tests_properties(${name} PROPERTIES TIMEOUT 900 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]"
                         ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
  endif()
endfunction()

# cadre_executable(<target> <main>): the program, put at the top of the build folder; nothing without its main.
function(cadre_executable target main)
  file(GLOB found CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${main}")
  if(found)
    add_executable(${target} ${found})
    target_link_libraries(${target} PRIVATE cadre_app)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
    cadre_use_pch(${target} cadre_pch)
  endif()
endfunction()

# cadre_fuzz_targets(<folder>): <folder>/x.cc becomes the libFuzzer program x.
function(cadre_fuzz_targets folder)
  if(NOT CADRE_FUZZ)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.cc")
  foreach(source IN LISTS sources)
    get_filename_component(target "${source}" NAME_WE)
    add_executable(${target} "${source}")
    target_link_libraries(${target} PRIVATE cadre_app)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  endforeach()
endfunction()

# cadre_use_pch(<target> <pch>): compiles the target with the headers of cadre_pch or cadre_test_pch.
function(cadre_use_pch target pch)
  if(CADRE_PCH)
    target_precompile_headers(${target} REUSE_FROM ${pch})
  endif()
endfunction()

# cadre_add_pch(<target> LIBRARIES ... HEADERS ...): headers that nearly every file includes, compiled once.
function(cadre_add_pch target)
  cmake_parse_arguments(arg "" "" "LIBRARIES;HEADERS" ${ARGN})
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/${target}.cc" CONTENT "")
  add_library(${target} STATIC "${CMAKE_BINARY_DIR}/${target}.cc")
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
endfunction()

# Off by default: ccache cannot share objects between build folders when their precompiled headers differ in path.
# On in the presets that start from nothing, where it saves a third of the compile time (0.6 of 1.8 s per file).
if(CADRE_PCH)
  set(common_headers <algorithm> <array> <chrono> <cstdint> <expected> <functional> <map> <memory> <optional> <set>
      <span> <string> <string_view> <unordered_map> <utility> <variant> <vector> <boost/json.hpp> <fmt/format.h>)
  cadre_add_pch(cadre_pch LIBRARIES fmt::fmt cadre_boost HEADERS ${common_headers})
  if(CADRE_TESTS)
    cadre_add_pch(cadre_test_pch LIBRARIES fmt::fmt cadre_boost cadre_testing
                  HEADERS ${common_headers} <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()
