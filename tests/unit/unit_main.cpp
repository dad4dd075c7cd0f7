// The main function of every unit test program. It takes seconds to compile, so it is the only
// file that defines it and all programs share its object.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
