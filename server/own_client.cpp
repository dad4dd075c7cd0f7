#include "server/own_client.h"

#include <array>
#include <utility>

namespace stator {

tl::expected<OwnAnswer, std::string> ask_server(const HealthOptions& server, std::string_view path,
                                                const std::string& body) {
  const std::array<HttpField, 1> fields{{{"Content-Type", "application/json"}}};
  const std::span<const HttpField> used = std::span{fields}.first(body.empty() ? 0 : 1);
  auto answer = HttpConnection{server, CertificateCheck::None}.ask(
      {.path = path, .fields = used, .body = body});
  if (!answer) return tl::unexpected(std::move(answer).error().why);
  return *std::move(answer);
}

}  // namespace stator
