#include "server/cli/mcp/tools/access.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "server/http/header_text.h"

namespace stator::mcp {

namespace {

using Kind = JsonNode::Kind;

constexpr std::array<std::string_view, 4> kReads = {"Query", "Scan", "BatchGetItem",
                                                    "TransactGetItems"};
// The service has no operation that begins so and writes.
constexpr std::array<std::string_view, 3> kReadPrefixes = {"Describe", "List", "Get"};

bool is_reading_node(const JsonNode& statement) {
  return statement.kind() == Kind::String && is_reading_statement(statement.text());
}

// Looks at each member of the name, because a service may take another one of several.
template <class Reads>
bool all_named_read(const JsonNode& object, std::string_view name, const Reads& reads) {
  if (object.kind() != Kind::Object) return false;
  bool has_some = false;
  for (const JsonMember& member : object.members()) {
    if (member.name != name) continue;
    if (!reads(member.value)) return false;
    has_some = true;
  }
  return has_some;
}

bool is_reading_element(const JsonNode& element) {
  return all_named_read(element, "Statement", is_reading_node);
}

bool is_reading_list(const JsonNode& list) {
  if (list.kind() != Kind::Array) return false;
  const auto elements = list.elements();
  return std::all_of(elements.begin(), elements.end(), is_reading_element);
}

}  // namespace

bool is_reading_statement(std::string_view statement) {
  constexpr std::string_view kSelect = "select";
  const std::size_t begin = statement.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  const std::string_view text = statement.substr(begin);
  const bool is_select = equals_ignoring_case(text.substr(0, kSelect.size()), kSelect);
  if (!is_select || text.size() == kSelect.size()) return is_select;
  const auto next = static_cast<unsigned char>(text[kSelect.size()]);
  return std::isalnum(next) == 0 && next != '_' && next < 0x80;
}

bool is_reading_call(std::string_view operation, const JsonNode& request) {
  if (operation == "ExecuteStatement") return is_reading_element(request);
  if (operation == "BatchExecuteStatement")
    return all_named_read(request, "Statements", is_reading_list);
  if (operation == "ExecuteTransaction")
    return all_named_read(request, "TransactStatements", is_reading_list);
  const auto begins = [operation](std::string_view prefix) {
    return operation.starts_with(prefix);
  };
  return std::find(kReads.begin(), kReads.end(), operation) != kReads.end() ||
         std::any_of(kReadPrefixes.begin(), kReadPrefixes.end(), begins);
}

}  // namespace stator::mcp
