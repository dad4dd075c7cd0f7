// Bytes of a connection -> parser -> dispatcher -> in-memory engine: any answer will do, as long as
// there is one for each complete request and it is well-formed. The first byte chooses how the
// bytes are cut into pieces.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "tests/unit/server/harness/server_under_test.h"

namespace {

void demand(bool truth) {
  if (!truth) std::abort();
}

void check_answer(const std::string& answer) {
  demand(answer.starts_with("HTTP/1.1 "));
  demand(answer.find("\r\n\r\n") != std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A fresh one now and then, so that what inputs store does not pile up.
  constexpr int kInputsPerServer = 20'000;
  static std::unique_ptr<stator::test::ServerUnderTest> server;
  static int inputs = 0;
  if (inputs++ % kInputsPerServer == 0) {
    server.reset();
    server = std::make_unique<stator::test::ServerUnderTest>();
  }
  if (size == 0) return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  const std::size_t piece = data[0] == 0 ? bytes.size() + 1 : data[0];
  server->converse(bytes, piece, check_answer);
  return 0;
}
