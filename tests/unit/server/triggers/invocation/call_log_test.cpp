// The log that Invoke returns.
#include "server/triggers/invocation/call_log.h"

#include <string>

#include <catch2/catch.hpp>

#include "server/triggers/runtimes/call_output.h"

namespace stator {
namespace {

using namespace triggers;
using namespace std::chrono_literals;

TEST_CASE("call logs: the output of the function between lines of the service", "[triggers]") {
  CHECK(call_log("1", "a\nb\n", 1234us) ==
        "START RequestId: 1 Version: $LATEST\na\nb\nEND RequestId: 1\n"
        "REPORT RequestId: 1\tDuration: 1.23 ms\tBilled Duration: 2 ms\n");
  CHECK(call_log("1", "", 1000us) ==
        "START RequestId: 1 Version: $LATEST\nEND RequestId: 1\n"
        "REPORT RequestId: 1\tDuration: 1.00 ms\tBilled Duration: 1 ms\n");
  CHECK(call_log("1", "no end", 0us).find("no end\nEND") != std::string::npos);
}

TEST_CASE("call logs: another server's log stays as it is", "[triggers]") {
  const std::string log = "START RequestId: 2 Version: 7\nhello\nEND RequestId: 2\n";
  CHECK(call_log("1", log, 5us) == log);
}

TEST_CASE("call logs: the last part counts", "[triggers]") {
  const std::string log = call_log("1", std::string(9000, 'x') + "\n", 5us);
  CHECK(log.size() == kOutputBytesMax);
  CHECK(log.starts_with("x"));
  CHECK(log.ends_with("ms\n"));
}

TEST_CASE("call logs: output as a header", "[triggers]") {
  CHECK(unpack_output(pack_output("a\xFFz")) == "a\xFFz");
  CHECK(unpack_output(pack_output(std::string(9000, 'x') + "z")).ends_with("xz"));
  CHECK(unpack_output(pack_output(std::string(9000, 'x'))).size() == kOutputBytesMax);
  CHECK(unpack_output("").empty());
  CHECK(unpack_output("no Base64").empty());
  CHECK(unpack_output(std::string(8000, 'A')).empty());
}

}  // namespace
}  // namespace stator
