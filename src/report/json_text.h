// JSON as people like to read it: indented, keys in the order in which they were put in, numbers without
// exponents.
#pragma once

#include <string>

#include "base/json.h"

namespace cadre::report {

// With a line end after the last character. Lists of numbers or strings that fit stay on one line. Doubles
// must be finite; they are written in the shortest form that reads back as the same number.
// Bytes of a string that are not UTF-8 become U+FFFD.
std::string PrettyJson(const json::value& value);

}  // namespace cadre::report
