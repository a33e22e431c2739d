# Compiler and linker settings that every target shares (interface target cadre_options), and the libraries we use.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_package(Boost 1.81 REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)

add_library(cadre_options INTERFACE)
target_compile_features(cadre_options INTERFACE cxx_std_23)
target_compile_options(cadre_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
                                               -fno-omit-frame-pointer)
# Cheap bounds checks of the standard library stay on in every build.
target_compile_definitions(cadre_options INTERFACE _GLIBCXX_ASSERTIONS)
target_include_directories(cadre_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(cadre_options INTERFACE Boost::headers)

find_program(CADRE_MOLD mold)
if(CADRE_MOLD)
  target_link_options(cadre_options INTERFACE -fuse-ld=mold)
endif()

# CADRE_SANITIZE: a -fsanitize= list, e.g. address,undefined. What it finds ends the program.
set(CADRE_SANITIZE "" CACHE STRING "Sanitizers to build with")
if(CADRE_SANITIZE)
  target_compile_options(cadre_options INTERFACE -fsanitize=${CADRE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(cadre_options INTERFACE -fsanitize=${CADRE_SANITIZE})
endif()
