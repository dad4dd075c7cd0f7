// Runs tests/cases/streams.
#include <catch2/catch.hpp>

#include "tests/unit/engine/harness/engine_cases.h"

namespace stator::test {
namespace {

TEST_CASE("streams: cases", "[streams]") { run_case_folder("streams", run_engine_cases); }

}  // namespace
}  // namespace stator::test
