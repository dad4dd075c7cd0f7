#include "protocol/policy/policy_document.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/policy/policy_names.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

using Kind = JsonNode::Kind;

// In the order of the stored form.
constexpr std::array<std::string_view, 3> kDocumentMembers{"Version", "Id", "Statement"};
constexpr std::array<std::string_view, 9> kStatementMembers{
    "Sid",       "Effect",   "Principal",   "NotPrincipal", "Action",
    "NotAction", "Resource", "NotResource", "Condition"};
constexpr std::array<std::string_view, 4> kPrincipalTypes{"AWS", "Service", "Federated",
                                                          "CanonicalUser"};
constexpr std::string_view kOldVersion = "2008-10-17";
constexpr std::string_view kVersion = "2012-10-17";

Error invalid_document(std::string_view what) {
  return invalid_parameter(std::string("Invalid policy document: ").append(what));
}

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_scalar(const JsonNode& node) {
  return node.kind() != Kind::Object && node.kind() != Kind::Array && node.kind() != Kind::Null;
}

// The text of a scalar in a condition; the stored form has strings alone.
std::string_view scalar_text(const JsonNode& node) {
  if (node.kind() == Kind::True) return "true";
  return node.kind() == Kind::False ? "false" : node.text();
}

// A value, or the elements of a list of values.
std::span<const JsonNode> values_of(const JsonNode& node) {
  return node.kind() == Kind::Array ? node.elements() : std::span(&node, 1);
}

bool are_all(const JsonNode& node, bool (*holds)(const JsonNode&)) {
  const auto values = values_of(node);
  return !values.empty() && std::all_of(values.begin(), values.end(), holds);
}

bool are_strings(const JsonNode& node) {
  return are_all(node, [](const JsonNode& one) { return one.kind() == Kind::String; });
}

// {Operator: {key: value or list of values}}
bool is_condition(const JsonNode& node) {
  const auto has_values = [](const JsonMember& key) { return are_all(key.value, is_scalar); };
  const auto has_keys = [&](const JsonMember& op) {
    const auto keys =
        op.value.kind() == Kind::Object ? op.value.members() : std::span<const JsonMember>();
    return !keys.empty() && std::all_of(keys.begin(), keys.end(), has_values);
  };
  if (node.kind() != Kind::Object) return false;
  return std::all_of(node.members().begin(), node.members().end(), has_keys);
}

// "*", or {type: principal or list of principals}
bool is_principal(const JsonNode& node) {
  if (node.kind() == Kind::String) return node.text() == "*";
  if (node.kind() != Kind::Object || node.members().empty()) return false;
  return std::all_of(node.members().begin(), node.members().end(), [&](const JsonMember& type) {
    const bool is_only = node.find(type.name) == &type.value;
    return is_only && contains(kPrincipalTypes, type.name) && are_strings(type.value);
  });
}

bool is_allow(const JsonNode& effect) { return is_same_word(effect.text(), "allow"); }

bool has_member_type(std::string_view name, const JsonNode& value) {
  if (name == "Sid") return value.kind() == Kind::String;
  if (name == "Effect") {
    return value.kind() == Kind::String && (is_allow(value) || is_same_word(value.text(), "deny"));
  }
  if (name == "Principal" || name == "NotPrincipal") return is_principal(value);
  return name == "Condition" ? is_condition(value) : are_strings(value);
}

// The statement's member `name`, or its opposite.
const JsonNode* either(const JsonNode& statement, std::string_view name) {
  const JsonNode* node = statement.find(name);
  return node != nullptr ? node : statement.find(std::string("Not").append(name));
}

// Calls `visit` with each value of a member, or of its opposite, of all statements.
template <class Visit>
void each_value(std::span<const JsonNode> statements, std::string_view name, Visit visit) {
  for (const JsonNode& statement : statements) {
    for (const JsonNode& value : values_of(*either(statement, name))) visit(value.text());
  }
}

// A document, as a tree over a copy of its text.
class Document {
 public:
  explicit Document(std::string_view text) : original_(text), text_(text) {}
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  // Reads the text and checks the types of all members.
  Result<void> read() {
    const auto root = read_json(text_, arena_);
    if (!root || root->kind() != Kind::Object) {
      return invalid_document("This policy contains invalid Json");
    }
    root_ = *root;
    const JsonNode* statement = root_.find("Statement");
    if (statement == nullptr || (statement->kind() == Kind::Array && statement->elements().empty()))
      return invalid_document("Could not parse the policy: Statement is empty!");
    statements_ = values_of(*statement);
    for (const JsonMember& member : root_.members()) {
      const bool is_right = member.name == "Statement" ||
                            (member.name == "Version" && is_version(member.value)) ||
                            (member.name == "Id" && member.value.kind() == Kind::String);
      if (!is_right) return syntax_error(member);
      if (member.name == "Statement") STATOR_CHECK(check_members(member));
    }
    return {};
  }

  const JsonNode& root() const { return root_; }
  // REQUIRES: read() has succeeded; then each is an object.
  std::span<const JsonNode> statements() const { return statements_; }

 private:
  static bool is_version(const JsonNode& node) {
    return node.kind() == Kind::String && (node.text() == kOldVersion || node.text() == kVersion);
  }

  Result<void> check_members(const JsonMember& member) const {
    for (const JsonNode& statement : values_of(member.value)) {
      if (statement.kind() != Kind::Object) return syntax_error(member);
      for (const JsonMember& part : statement.members()) {
        const bool is_right = contains(kStatementMembers, part.name) &&
                              has_member_type(part.name, part.value) &&
                              statement.find(std::string("Not") += part.name) == nullptr;
        if (!is_right) return syntax_error(part);
      }
    }
    return {};
  }

  // At the member's value if that is a string, else at its name.
  Error syntax_error(const JsonMember& member) const {
    const std::string_view place =
        member.value.kind() == Kind::String ? member.value.text() : member.name;
    // Strings are read in place, so they begin in the copy where they begin in the original, one
    // byte after their quote.
    const auto offset = static_cast<std::size_t>(place.data() - text_.data());
    const std::string_view before = original_.substr(0, std::min(offset, original_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    return invalid_document("Syntax error at position (" + std::to_string(line) + "," +
                            std::to_string(before.size() - line_begin) + ")");
  }

  std::string_view original_;
  std::string text_;
  Arena arena_;
  JsonNode root_;
  std::span<const JsonNode> statements_;
};

Result<void> check_required(std::span<const JsonNode> statements) {
  for (const JsonNode& statement : statements) {
    for (const std::string_view name : {"Effect", "Principal", "Action", "Resource"}) {
      const JsonNode* node = name == "Effect" ? statement.find(name) : either(statement, name);
      if (node == nullptr)
        return invalid_document(std::string("Missing required field ").append(name));
    }
  }
  return {};
}

Result<void> check_ids(std::span<const JsonNode> statements) {
  std::set<std::string_view> ids;
  for (const JsonNode& statement : statements) {
    const JsonNode* id = statement.find("Sid");
    if (id != nullptr && !ids.insert(id->text()).second)
      return invalid_document("The Statement Ids in the policy are not unique");
  }
  return {};
}

Result<void> check_actions(std::span<const JsonNode> statements, PolicyOwner owner) {
  std::string invalid;
  each_value(statements, "Action", [&](std::string_view action) {
    if (is_policy_action(action, owner)) return;
    invalid.append(invalid.empty() ? "\"" : ", \"").append(action).append("\"");
  });
  if (invalid.empty()) return {};
  return invalid_document("The following action names are invalid: " + invalid);
}

Result<void> check_resources(std::span<const JsonNode> statements, PolicyOwner owner) {
  std::optional<Error> broken;
  each_value(statements, "Resource", [&](std::string_view resource) {
    if (broken || resource == "*") return;
    const auto relative_id = relative_id_of(resource);
    if (!relative_id) {
      broken = invalid_document("Resource " + std::string(resource) +
                                " must be in ARN format or \"*\".");
    } else if (!is_policy_resource(*relative_id, owner)) {
      broken = invalid_document("The relative-id \"" + std::string(*relative_id) +
                                "\" is invalid for ARN \"" + std::string(resource) + "\"");
    }
  });
  if (broken) return *std::move(broken);
  return {};
}

Result<void> check_principals(std::span<const JsonNode> statements) {
  for (const JsonNode& statement : statements) {
    const JsonNode& principal = *either(statement, "Principal");
    if (principal.kind() == Kind::String) continue;
    for (const JsonMember& type : principal.members()) {
      for (const JsonNode& one : values_of(type.value)) {
        if (!is_policy_principal(type.name, one.text()))
          return invalid_parameter("Invalid principal in policy document.");
      }
    }
  }
  return {};
}

bool names_everybody(const JsonNode& statement) {
  const JsonNode* principal = statement.find("Principal");
  if (principal == nullptr) return true;  // NotPrincipal: everybody else
  if (principal->kind() == Kind::String) return true;
  const JsonNode* accounts = principal->find("AWS");
  if (accounts == nullptr) return false;
  const auto values = values_of(*accounts);
  return std::any_of(values.begin(), values.end(),
                     [](const JsonNode& one) { return one.text() == "*"; });
}

// Whether a condition restricts the callers to values without wildcards.
bool is_bounded(const JsonNode& statement) {
  const JsonNode* condition = statement.find("Condition");
  if (condition == nullptr) return false;
  for (const JsonMember& op : condition->members()) {
    if (!is_restricting_operator(op.name)) continue;
    for (const JsonMember& key : op.value.members()) {
      const auto values = values_of(key.value);
      const bool is_fixed = std::all_of(values.begin(), values.end(), [](const JsonNode& one) {
        return scalar_text(one).find_first_of("*?") == std::string_view::npos;
      });
      if (is_fixed && is_restricting_key(key.name)) return true;
    }
  }
  return false;
}

Result<void> check_bounds(std::span<const JsonNode> statements) {
  for (const JsonNode& statement : statements) {
    const bool allows = is_allow(*statement.find("Effect"));
    if (!allows || !names_everybody(statement) || is_bounded(statement)) continue;
    return Error::validation(
        "Resource-based policy grants unbounded access in one or more elements. Please revise the "
        "policy to ensure least-privilege form of access");
  }
  return {};
}

// ---- The stored form

using Texts = std::vector<std::string>;

void write_texts(JsonWriter& out, const Texts& texts) {
  if (texts.size() == 1) return out.string(texts.front());
  out.begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

Texts texts_of(const JsonNode& node) {
  Texts texts;
  for (const JsonNode& value : values_of(node)) texts.emplace_back(scalar_text(value));
  return texts;
}

void write_principal(JsonWriter& out, const JsonNode& principal) {
  if (principal.kind() == Kind::String) return out.string(principal.text());
  out.begin_object();
  for (const JsonMember& type : principal.members()) {
    Texts named;
    std::set<std::string> known;
    for (const std::string& text : texts_of(type.value)) {
      std::string full = type.name == "AWS" ? full_principal(text) : text;
      if (known.insert(full).second) named.push_back(std::move(full));
    }
    out.key(type.name);
    write_texts(out, named);
  }
  out.end_object();
}

void write_condition(JsonWriter& out, const JsonNode& condition) {
  out.begin_object();
  for (const JsonMember& op : condition.members()) {
    out.key(op.name);
    out.begin_object();
    for (const JsonMember& key : op.value.members()) {
      out.key(key.name);
      write_texts(out, texts_of(key.value));
    }
    out.end_object();
  }
  out.end_object();
}

void write_statement(JsonWriter& out, const JsonNode& statement) {
  out.begin_object();
  for (const std::string_view name : kStatementMembers) {
    const JsonNode* value = statement.find(name);
    if (value == nullptr) continue;
    out.key(name);
    if (name == "Effect") {
      out.string(is_allow(*value) ? "Allow" : "Deny");
    } else if (name == "Principal" || name == "NotPrincipal") {
      write_principal(out, *value);
    } else if (name == "Condition") {
      write_condition(out, *value);
    } else {
      write_texts(out, texts_of(*value));
    }
  }
  out.end_object();
}

std::string write_document(const Document& document) {
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  for (const std::string_view name : kDocumentMembers) {
    const JsonNode* value = document.root().find(name);
    if (value == nullptr) continue;
    out.key(name);
    if (name != "Statement") {
      out.string(value->text());
      continue;
    }
    out.begin_array();
    for (const JsonNode& statement : document.statements()) write_statement(out, statement);
    out.end_array();
  }
  out.end_object();
  return text;
}

}  // namespace

Result<std::string> stored_policy(std::string_view document, PolicyOwner owner) {
  if (document.size() > limits::kPolicyBytesMax) {
    return invalid_parameter("Maximum policy size of " + std::to_string(limits::kPolicyBytesMax) +
                             " bytes exceeded");
  }
  Document read(document);
  STATOR_CHECK(read.read());
  STATOR_CHECK(check_required(read.statements()));
  STATOR_CHECK(check_ids(read.statements()));
  STATOR_CHECK(check_actions(read.statements(), owner));
  STATOR_CHECK(check_resources(read.statements(), owner));
  STATOR_CHECK(check_principals(read.statements()));
  STATOR_CHECK(check_bounds(read.statements()));
  return write_document(read);
}

std::string shown_policy(std::string_view stored) {
  constexpr std::string_view kWithVersion = R"({"Version":)";
  if (stored.starts_with(kWithVersion)) return std::string(stored);
  std::string shown(kWithVersion);
  return shown.append("\"").append(kOldVersion).append("\",").append(stored.substr(1));
}

}  // namespace stator
