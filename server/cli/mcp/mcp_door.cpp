#include "server/cli/mcp/mcp_door.h"

#include <optional>
#include <string>
#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/cli/mcp/answers/answer_pages.h"
#include "server/cli/mcp/json_rpc.h"
#include "server/cli/mcp/mcp_session.h"
#include "server/cli/mcp/tools/tools.h"
#include "server/http/own_tools.h"

namespace stator::mcp {

namespace {

// Each takes a thread that calls functions, too.
constexpr unsigned kCallersMax = 4;

std::uint16_t status_of(int code, bool is_of_earlier_revision) {
  switch (code) {
    case kParseError:
    case kInvalidRequest:
    case kUnsupportedVersion:
    case kHeaderMismatch:
      return 400;
    // To clients of earlier revisions these mean that their session is over.
    case kInvalidParams:
      return is_of_earlier_revision ? 200 : 400;
    case kMethodNotFound:
      return is_of_earlier_revision ? 200 : 404;
    default:
      return 200;
  }
}

// What proxies read instead of the message.
std::optional<RpcError> find_mismatch(const HttpRequest& request, const RpcMessage& message) {
  const auto mismatch = [](const std::string& header) {
    return RpcError{kHeaderMismatch, "the header " + header + " is not as in the message"};
  };
  const std::string_view version = McpSession::version_of(message);
  const std::string_view header = request.header(Header::McpProtocolVersion);
  if (version.empty()) {
    // Of an earlier revision, whose first requests have no header.
    if (header.empty() || McpSession::is_earlier_version(header)) return {};
    return mismatch("MCP-Protocol-Version");
  }
  if (header != version) return mismatch("MCP-Protocol-Version");
  if (!McpSession::is_modern_version(version)) return {};
  if (request.header(Header::McpMethod) != message.method) return mismatch("Mcp-Method");
  const JsonNode* const name =
      message.method == "tools/call" ? message.params.find("name") : nullptr;
  const bool has_name = name != nullptr && name->kind() == JsonNode::Kind::String;
  if (has_name && request.header(Header::McpName) != name->text()) return mismatch("Mcp-Name");
  return {};
}

// The answer to a message whose headers differ; empty if they do not, or it is no message.
std::optional<std::string> refusal_of_headers(const HttpRequest& request) {
  std::string text{request.body()};  // is read in place
  Arena arena;
  const auto node = read_json(text, arena);
  if (!node || node->kind() != JsonNode::Kind::Object) return {};
  const auto message = read_message(*node);
  if (!message || message->kind != RpcMessage::Kind::Request) return {};
  const auto mismatch = find_mismatch(request, *message);
  if (!mismatch) return {};
  return error_line(message->id, *mismatch);
}

}  // namespace

// What requests of one kind share: the tools' context, and the cursors of long answers.
struct McpDoor::Desk {
  Desk(const data::Endpoint& endpoint, Writes writes)
      : context(endpoint, writes), session(all_tools(), context, AnswerPages::kSizeDefault) {}

  ToolContext context;
  McpSession session;
};

McpDoor::McpDoor(const OriginOptions& origins) : policy_(origins) {}
McpDoor::~McpDoor() = default;

void McpDoor::open(data::Endpoint endpoint, bool is_of_this_machine) {
  endpoint.asks_why = true;
  endpoint.user_agent = own_tools::kMcp;
  endpoint_ = std::move(endpoint);
  is_of_this_machine_ = is_of_this_machine;
}

McpDoor::Desk& McpDoor::desk(bool may_write) {
  std::unique_ptr<Desk>& one = may_write ? writing_ : reading_;
  if (!one)
    one = std::make_unique<Desk>(endpoint_, may_write ? Writes::Anywhere : Writes::WithToken);
  return *one;
}

AdminResponse McpDoor::answer(const HttpRequest& request) {
  if (auto refusal = refusal_of_headers(request)) return {400, *std::move(refusal)};
  struct Caller {
    explicit Caller(std::atomic<unsigned>& callers) : all(callers), number(++callers) {}
    ~Caller() { --all; }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    std::atomic<unsigned>& all;
    const unsigned number;
  };
  const Caller caller{callers_};
  if (caller.number > kCallersMax) return admin_error(503, "too many agents at once");
  const bool may_write = is_of_this_machine_ || policy_.has_token(request);
  const std::lock_guard lock{mutex_};
  McpSession& session = desk(may_write).session;
  int code = 0;
  std::string text = session.answer(std::string{request.body()}, code);
  if (text.empty()) return {202, {}};
  const bool is_of_earlier_revision =
      McpSession::is_earlier_version(request.header(Header::McpProtocolVersion));
  return {status_of(code, is_of_earlier_revision), std::move(text)};
}

}  // namespace stator::mcp
