// compile_policy(): the document around the statements.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "protocol/access/language/names.h"
#include "protocol/access/policy.h"
#include "protocol/access/statement.h"
#include "protocol/access/statement_reader.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"

namespace stator::access {
namespace {

using Kind = JsonNode::Kind;
using DocumentFault = std::optional<PolicyFault>;

// Document, list of statements, statement, condition or principals, operator, list of values; and
// one to name the member that is wrong.
constexpr std::size_t kLevelsMax = 8;

std::string byte_place(std::size_t byte) { return std::string("byte ") += std::to_string(byte); }

std::string statement_place(std::size_t index, std::string_view member) {
  std::string place = "Statement[";
  place.append(std::to_string(index)).append("]");
  if (!member.empty()) place.append(".").append(member);
  return place;
}

// The first byte of a character that policies may not have: they have tab, LF, CR and U+0020 to
// U+00FF.
std::optional<std::size_t> foreign_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0x80)) continue;
    if (c != 0xC2 && c != 0xC3) return i;
    ++i;  // the text is UTF-8, so a second byte follows
  }
  return std::nullopt;
}

// Whether all strings below have only such characters, those of escapes included. The tree is no
// deeper than kLevelsMax.
bool has_policy_characters(const JsonNode& node) {
  if (node.kind() == Kind::String) return !foreign_character(node.text());
  for (const JsonMember& member :
       node.kind() == Kind::Object ? node.members() : std::span<const JsonMember>()) {
    if (foreign_character(member.name) || !has_policy_characters(member.value)) return false;
  }
  if (node.kind() != Kind::Array) return true;
  const auto elements = node.elements();
  return std::all_of(elements.begin(), elements.end(), has_policy_characters);
}

DocumentFault check_document(const JsonNode& root) {
  if (root.kind() != Kind::Object) return PolicyFault{"The document must be an object", {}};
  if (is_deeper_than(root, kLevelsMax)) return PolicyFault{"The document is nested too deep", {}};
  if (!has_policy_characters(root))
    return PolicyFault{"An escape stands for a character beyond U+00FF or a control character", {}};
  if (const auto twice = repeated_member(root))
    return PolicyFault{"is there twice", std::string(*twice)};
  for (const JsonMember& member : root.members()) {
    const bool is_known =
        member.name == "Version" || member.name == "Id" || member.name == "Statement";
    if (!is_known) return PolicyFault{"is no element of a policy", std::string(member.name)};
    if (member.value.is_null()) return PolicyFault{"must not be null", std::string(member.name)};
    if (member.name == "Id" && member.value.kind() != Kind::String)
      return PolicyFault{"must be a string", "Id"};
  }
  return std::nullopt;
}

// Whether the document's Version has variables. Without a Version it has not.
tl::expected<bool, PolicyFault> read_version(const JsonNode& root) {
  const JsonNode* version = root.find("Version");
  if (version == nullptr) return false;
  const std::string_view text = version->kind() == Kind::String ? version->text() : "";
  if (text != "2012-10-17" && text != "2008-10-17")
    return tl::unexpected(PolicyFault{"must be 2012-10-17 or 2008-10-17", "Version"});
  return text == "2012-10-17";
}

bool is_plain_sid(std::string_view sid) {
  return std::all_of(sid.begin(), sid.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
}

DocumentFault check_sids(const CompiledPolicy& policy) {
  std::set<std::string_view> sids;
  for (std::size_t i = 0; i < policy.statements.size(); ++i) {
    const std::string& sid = policy.statements[i].sid;
    if (sid.empty()) continue;
    if (!sids.insert(sid).second)
      return PolicyFault{"The Sid is that of an earlier statement", statement_place(i, "Sid")};
    if (policy.kind == PolicyKind::Identity && !is_plain_sid(sid))
      return PolicyFault{"must have letters and digits only", statement_place(i, "Sid")};
  }
  return std::nullopt;
}

std::vector<std::string> keys_of(const std::vector<Statement>& statements) {
  std::set<std::string> keys;
  const auto add = [&](const TextTemplate& text) {
    for (const std::string_view name : text.variable_names()) keys.insert(folded(name));
  };
  for (const Statement& statement : statements) {
    for (const TextTemplate& resource : statement.resources.patterns) add(resource);
    for (const Condition& condition : statement.conditions) {
      keys.insert(folded(condition.key));
      for (const ConditionValue& value : condition.values) {
        if (const auto* text = std::get_if<TextTemplate>(&value)) add(*text);
      }
    }
  }
  return {keys.begin(), keys.end()};
}

DocumentFault read_statements(const JsonNode& root, CompiledPolicy& policy) {
  const auto has_variables = read_version(root);
  if (!has_variables) return has_variables.error();
  const JsonNode* list = root.find("Statement");
  if (list == nullptr) return PolicyFault{"is missing", "Statement"};
  const auto nodes = values_in(*list);
  if (nodes.empty()) return PolicyFault{"is empty", "Statement"};
  const StatementRules rules{policy.kind, *has_variables};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto statement = read_statement(nodes[i], rules);
    if (!statement) {
      StatementFault& fault = statement.error();
      return PolicyFault{std::move(fault.text), statement_place(i, fault.place)};
    }
    policy.statements.push_back(*std::move(statement));
  }
  return check_sids(policy);
}

}  // namespace

tl::expected<Policy, PolicyFault> compile_policy(std::string_view json_text, PolicyKind kind) {
  const auto refused = [](std::string text, std::string place) {
    return tl::unexpected(PolicyFault{std::move(text), std::move(place)});
  };
  if (json_text.size() > kPolicyBytesMax)
    return refused("The document has more than 20480 bytes", {});
  Arena arena;
  std::string body(json_text);
  body.reserve(body.size() + kJsonSpareBytes);
  std::size_t error_at = 0;
  const auto root = read_json(body, arena, &error_at);
  if (!root) return refused("The document is no JSON", byte_place(error_at));
  if (const auto at = foreign_character(json_text))
    return refused("A character is not between U+0020 and U+00FF", byte_place(*at));
  if (auto fault = check_document(*root)) return tl::unexpected(*std::move(fault));
  auto policy = std::make_shared<CompiledPolicy>();
  policy->kind = kind;
  policy->text = json_text;
  if (auto fault = read_statements(*root, *policy)) return tl::unexpected(*std::move(fault));
  policy->keys = keys_of(policy->statements);
  return Policy(std::move(policy));
}

}  // namespace stator::access
