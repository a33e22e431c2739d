// The one place where Boost.JSON is compiled; everybody else sees declarations only.
#include <boost/json/src.hpp>
