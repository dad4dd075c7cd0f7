#include "server/client/admin_client.h"

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/client/local_client.h"
#include "server/options/server_address.h"

namespace stator {

tl::expected<void, std::string> ask_admin(const HealthOptions& server, std::string_view path,
                                          const std::string& body,
                                          const std::function<void(const JsonNode&)>& use) {
  const std::string address = address_text(server) + ": ";
  auto answer = ask_server(server, path, body);
  if (!answer) return tl::unexpected(address + answer.error());
  Arena arena;
  const auto reply = read_json(answer->body, arena);
  const bool is_object = reply && reply->kind() == JsonNode::Kind::Object;
  if (answer->status == 200 && is_object) {
    use(*reply);
    return {};
  }
  const JsonNode* const error = is_object ? reply->find("error") : nullptr;
  return tl::unexpected(address + (error != nullptr
                                       ? std::string(error->text())
                                       : "it answered status " + std::to_string(answer->status) +
                                             ", is it Stator with an admin path?"));
}

}  // namespace stator
