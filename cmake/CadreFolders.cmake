# cadre_folder(NAME FOLDERS ... LIBRARIES ...): src/NAME becomes library cadre_NAME and test binary NAME_test.
# Tests stand beside the code they test (*_test.cc), benchmarks too (*_bench.cc).
find_library(CADRE_RAPIDCHECK rapidcheck REQUIRED)

function(cadre_precompile target)
  if(CADRE_PCH)
    target_precompile_headers(
      ${target} PRIVATE <algorithm> <cstdint> <functional> <map> <memory> <optional> <string> <string_view> <variant>
      <vector> <fmt/format.h> <boost/json/value.hpp> <boost/container/flat_map.hpp>)
  endif()
endfunction()

function(cadre_folder name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;LIBRARIES" ${ARGN})
  set(folder ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|/main)\\.cc$")
  list(TRANSFORM ARG_FOLDERS PREPEND cadre_)

  if(sources)
    add_library(cadre_${name} STATIC ${sources})
    target_link_libraries(cadre_${name} PUBLIC ${ARG_FOLDERS} ${ARG_LIBRARIES} PRIVATE cadre_options)
    target_include_directories(cadre_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    cadre_precompile(cadre_${name})
  else()
    add_library(cadre_${name} INTERFACE)
    target_link_libraries(cadre_${name} INTERFACE ${ARG_FOLDERS} ${ARG_LIBRARIES})
  endif()

  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE cadre_${name} cadre_options GTest::gmock GTest::gtest_main ${CADRE_RAPIDCHECK})
    target_compile_definitions(${name}_test PRIVATE CADRE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    if(CADRE_PCH)
      target_precompile_headers(${name}_test PRIVATE <map> <memory> <string> <vector> <fmt/format.h>
                                <boost/json/value.hpp> <gtest/gtest.h>)
    endif()
    gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
                         PROPERTIES TIMEOUT 900)
  endif()

  if(benches AND CADRE_BENCH)
    find_package(benchmark REQUIRED)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE cadre_${name} cadre_options benchmark::benchmark_main)
  endif()
endfunction()

# Every fuzz/NAME.cc is a libFuzzer target NAME.
function(cadre_fuzz_targets)
  if(NOT CADRE_FUZZ)
    return()
  endif()
  file(GLOB targets CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/*.cc)
  foreach(source ${targets})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE cadre_kube cadre_options)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
endfunction()
