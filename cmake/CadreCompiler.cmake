# Language, warnings, optimisation, linker and compiler cache: everything that is the same for every target.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Debug CACHE STRING "" FORCE)
endif()

# -g1 is enough for backtraces with lines and keeps objects and links small.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
# For the sanitizers and fuzzing, which are too slow at -O0.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fno-omit-frame-pointer)
add_compile_definitions(_GLIBCXX_ASSERTIONS BOOST_ALL_NO_LIB SPDLOG_FMT_EXTERNAL)

# Paths in objects are relative to the tree: messages read better, and ccache can share objects between build folders.
add_compile_options("-ffile-prefix-map=${CMAKE_BINARY_DIR}=build" "-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")

if(CADRE_SANITIZE)
  add_compile_options("-fsanitize=${CADRE_SANITIZE}" -fno-sanitize-recover=all)
  if(CADRE_SANITIZE MATCHES "address" AND CADRE_SANITIZE MATCHES "undefined")
    # What these find by a check at every access AddressSanitizer finds as a bad access, or x86 does not mind; they
    # are a quarter of the time it takes to compile.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute)
  endif()
  add_link_options("-fsanitize=${CADRE_SANITIZE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 finds these in the code that its own sanitizers insert, and in std::string where that leaves code out
    # (GCC's bugs 105329, 105651). Builds without sanitizers keep them as errors.
    add_compile_options(-Wno-maybe-uninitialized -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
                        -Wno-stringop-overread)
  endif()
endif()

if(CADRE_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

find_program(CADRE_MOLD mold)
if(CADRE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

find_program(CADRE_CCACHE ccache)
if(CADRE_CCACHE)
  # nohashdir: build folders share objects (see the prefix map above); the sloppiness is what ccache needs for
  # precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_NOHASHDIR=1
      "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime" "${CADRE_CCACHE}")
endif()
