// The program's version; the same as project(VERSION) in CMakeLists.txt, which a test checks.
#pragma once

#include <string_view>

namespace cadre::app {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace cadre::app
