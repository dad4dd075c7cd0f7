#include "server/cli/mcp/json_rpc.h"

#include <utility>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_writer.h"

namespace stator::mcp {

namespace {

using Kind = JsonNode::Kind;

constexpr std::string_view kUnknownId = "null";

tl::unexpected<RpcMistake> invalid(std::string_view id, std::string message) {
  return tl::unexpected(RpcMistake{std::string{id}, {kInvalidRequest, std::move(message)}});
}

// The last member of that name, also if it is null.
const JsonNode* member_of(const JsonNode& object, std::string_view name) {
  const JsonNode* found = nullptr;
  for (const JsonMember& member : object.members())
    if (member.name == name) found = &member.value;
  return found;
}

bool is_text(const JsonNode* node, std::string_view text) {
  return node != nullptr && node->kind() == Kind::String && node->text() == text;
}

}  // namespace

tl::expected<RpcMessage, RpcMistake> read_message(const JsonNode& node) {
  if (node.kind() != Kind::Object) return invalid(kUnknownId, "a message is a JSON object");
  RpcMessage message;
  const JsonNode* const id = member_of(node, "id");
  if (id != nullptr) {
    const bool is_id = id->kind() == Kind::String || id->kind() == Kind::Integer;
    if (is_id) append_node_json(message.id, *id);
    if (!is_id || message.id.size() > kIdBytesMax)
      return invalid(kUnknownId, "an id is an integer or a string, and short");
  }
  const std::string_view known_id = id == nullptr ? kUnknownId : std::string_view{message.id};
  if (!is_text(member_of(node, "jsonrpc"), "2.0"))
    return invalid(known_id, "jsonrpc is not \"2.0\"");
  const JsonNode* const method = member_of(node, "method");
  if (method == nullptr && (node.has("result") || node.has("error"))) {
    message.kind = RpcMessage::Kind::Response;
    return message;
  }
  if (method == nullptr || method->kind() != Kind::String)
    return invalid(known_id, "method is missing");
  message.kind = id == nullptr ? RpcMessage::Kind::Notification : RpcMessage::Kind::Request;
  message.method = method->text();
  const JsonNode* const params = node.find("params");
  if (params == nullptr) {
    message.params = JsonNode::object({});
  } else if (params->kind() == Kind::Object) {
    message.params = *params;
  } else {
    return tl::unexpected(
        RpcMistake{std::string{known_id}, {kInvalidParams, "params is no object"}});
  }
  return message;
}

std::string result_line(std::string_view id, std::string_view result) {
  std::string line = R"({"jsonrpc":"2.0","id":)";
  return line.append(id).append(",\"result\":").append(result).append("}");
}

std::string error_line(std::string_view id, const RpcError& error) {
  std::string line = R"({"jsonrpc":"2.0","id":)";
  line.append(id).append(",\"error\":");
  JsonWriter json{line};
  json.begin_object();
  json.member("code", std::int64_t{error.code});
  json.member("message", error.message);
  if (!error.data.empty()) {
    json.key("data");
    json.raw(error.data);
  }
  json.end_object();
  return line += '}';
}

}  // namespace stator::mcp
