#include "server/dispatch/cbor_body.h"

#include <array>
#include <string_view>
#include <utility>

#include "protocol/cbor/cbor.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/http/request_kind.h"

namespace stator {

namespace {

// Of all answers of the operations of Kinesis that are built.
constexpr std::array<std::string_view, 1> kBlobs = {"Data"};
constexpr std::array<std::string_view, 2> kTimes = {"ApproximateArrivalTimestamp",
                                                    "StreamCreationTimestamp"};

}  // namespace

Result<void> read_cbor_body(HttpRequest& request) {
  if (!is_cbor_request(request) || request.body().empty()) return {};
  auto json = json_of_cbor(request.body());
  if (!json) return Error::serialization();
  request.body() = *std::move(json);
  return {};
}

std::string body_for(const HttpRequest& request, std::string json) {
  if (!is_cbor_request(request) || json.empty()) return json;
  Arena arena;
  const auto document = read_json(json, arena);
  std::string cbor;
  if (document) append_cbor(cbor, *document, {kBlobs, kTimes});
  return cbor;
}

}  // namespace stator
