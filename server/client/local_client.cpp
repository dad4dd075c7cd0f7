#include "server/client/local_client.h"

#include <utility>

#include "server/options/variables.h"

namespace stator {

void add_console_token(std::vector<HttpField>& fields) {
  std::string token = variable_text("STATOR_CONSOLE_TOKEN");
  if (!token.empty() && token != kNoConsoleToken)
    fields.emplace_back("x-stator-token", std::move(token));
}

tl::expected<OwnAnswer, std::string> ask_server(const HealthOptions& server, std::string_view path,
                                                const std::string& body) {
  std::vector<HttpField> fields;
  if (!body.empty()) fields.emplace_back("Content-Type", "application/json");
  if (server.token.empty()) {
    add_console_token(fields);
  } else {
    fields.emplace_back("x-stator-token", server.token);
  }
  auto answer = HttpConnection{server, CertificateCheck::None}.ask(
      {.path = path, .fields = fields, .body = body});
  if (!answer) return tl::unexpected(std::move(answer).error().why);
  return *std::move(answer);
}

}  // namespace stator
