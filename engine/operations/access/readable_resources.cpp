#include "engine/operations/access/readable_resources.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "engine/operations/operation.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/service/arn.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

using Kind = JsonNode::Kind;

// An action on one item, and the member that has its key.
struct ItemAction {
  std::string_view member;  // of a transaction
  std::string_view action;
  std::string_view attributes;
};

constexpr std::array<ItemAction, 5> kItemActions{{{"Get", "GetItem", "Key"},
                                                  {"Put", "PutItem", "Item"},
                                                  {"Update", "UpdateItem", "Key"},
                                                  {"Delete", "DeleteItem", "Key"},
                                                  {"ConditionCheck", "ConditionCheckItem", "Key"}}};

// Members that name what other operations are about.
constexpr std::array<std::string_view, 9> kNamingMembers{
    "TableName", "TableArn",  "ResourceArn",     "StreamArn",      "BackupArn",
    "ExportArn", "ImportArn", "SourceTableName", "SourceTableArn",
};

// nullptr without such a member.
const JsonNode* member_of(const JsonNode* node, std::string_view name, Kind kind) {
  if (node == nullptr || node->kind() != Kind::Object) return nullptr;
  const JsonNode* const member = node->find(name);
  return member != nullptr && member->kind() == kind ? member : nullptr;
}

std::string_view text_of(const JsonNode* node, std::string_view name) {
  const JsonNode* const member = member_of(node, name, Kind::String);
  return member == nullptr ? std::string_view() : member->text();
}

std::span<const JsonNode> elements_of(const JsonNode* node, std::string_view name) {
  const JsonNode* const member = member_of(node, name, Kind::Array);
  return member == nullptr ? std::span<const JsonNode>() : member->elements();
}

bool is_name(std::string_view text) {
  return text.size() >= limits::kTableNameCharsMin && text.size() <= limits::kTableNameCharsMax &&
         matches_name_pattern(text);
}

bool is_arn(std::string_view text) { return parse_table_arn(text).has_value(); }

// Whether a table can have this name or ARN.
bool names_table(std::string_view text) { return is_name(text) || is_arn(text); }

class BodyReader {
 public:
  BodyReader(Call& call, Resources& found) : call_(call), found_(found) {}

  void read(const JsonNode& body) {
    const std::string_view operation = call_.operation->name;
    if (operation == "Query" || operation == "Scan") return add_page(body);
    if (operation == "BatchGetItem" || operation == "BatchWriteItem") return add_batch(body);
    if (operation == "TransactGetItems" || operation == "TransactWriteItems")
      return add_transaction(body);
    for (const ItemAction& one : kItemActions) {
      if (operation != one.action) continue;
      return add_item(text_of(&body, "TableName"), {},
                      member_of(&body, one.attributes, Kind::Object));
    }
    // A table that a list names only narrows it.
    if (operation.starts_with("List") && operation != "ListTagsOfResource") {
      found_.push_back({.reach = Reach::AllTables});
      return;
    }
    add_named(operation == "ImportTable" ? member_of(&body, "TableCreationParameters", Kind::Object)
                                         : &body);
  }

 private:
  // Returns nullptr if nothing can have the name.
  Resource* add(std::string_view table, std::string_view action) {
    if (!names_table(table)) return nullptr;
    found_.push_back({.table = table, .action = action, .is_incomplete = true});
    return &found_.back();
  }

  void add_item(std::string_view table, std::string_view action, const JsonNode* attributes) {
    Resource* const item = add(table, action);
    if (item == nullptr) return;
    item->key_source = KeySource::ItemKey;
    item->key = readable_attributes(attributes);
  }

  // Those whose values are right: a key among them counts whatever the others are.
  Item readable_attributes(const JsonNode* attributes) {
    if (attributes == nullptr) return {};
    std::vector<Member> members;
    for (const JsonMember& one : attributes->members()) {
      if (!check_value_types(one.value, ValuePlace::Member)) continue;
      auto value = decode_value(one.value, call_.wording, call_.arena);
      if (value) members.push_back({one.name, *value});
    }
    return call_.arena.copy(std::span<const Member>(members));
  }

  void add_page(const JsonNode& body) {
    const std::string_view index = text_of(&body, "IndexName");
    if (!index.empty() && !is_name(index)) return;
    Resource* const page = add(text_of(&body, "TableName"), {});
    if (page == nullptr) return;
    page->index = index;
    if (call_.operation->name == "Scan") return;
    page->key_source = KeySource::KeyConditions;
    page->key_conditions = readable_conditions(body);
  }

  // Of an expression. Empty unless that is right, and for the older parameter.
  std::span<const expr::KeyCondition> readable_conditions(const JsonNode& body) {
    const std::string_view text = text_of(&body, "KeyConditionExpression");
    if (text.empty()) return {};
    auto placeholders = expr::Placeholders::read(body, call_.wording, call_.arena);
    if (!placeholders) return {};
    const auto condition =
        expr::parse_key_condition(text, *placeholders, call_.wording, call_.arena);
    if (!condition) return {};
    const auto read = expr::read_key_conditions(**condition, call_.wording, call_.arena);
    return read ? *read : std::span<const expr::KeyCondition>();
  }

  void add_batch(const JsonNode& body) {
    const JsonNode* const tables = member_of(&body, "RequestItems", Kind::Object);
    if (tables == nullptr) return;
    for (const JsonMember& table : tables->members()) {
      for (const JsonNode& key : elements_of(&table.value, "Keys"))
        add_item(table.name, {}, key.kind() == Kind::Object ? &key : nullptr);
      if (table.value.kind() != Kind::Array) continue;
      for (const JsonNode& write : table.value.elements()) {
        const JsonNode* const put = member_of(&write, "PutRequest", Kind::Object);
        const JsonNode* const erase = member_of(&write, "DeleteRequest", Kind::Object);
        add_item(table.name, {},
                 put != nullptr ? member_of(put, "Item", Kind::Object)
                                : member_of(erase, "Key", Kind::Object));
      }
    }
  }

  void add_transaction(const JsonNode& body) {
    for (const JsonNode& member : elements_of(&body, "TransactItems")) {
      for (const ItemAction& one : kItemActions) {
        const JsonNode* const asked = member_of(&member, one.member, Kind::Object);
        if (asked == nullptr) continue;
        const std::size_t before = found_.size();
        add_item(text_of(asked, "TableName"), one.action,
                 member_of(asked, one.attributes, Kind::Object));
        if (found_.size() > before) found_.back().enclosing_operation = call_.operation->name;
      }
    }
  }

  void add_named(const JsonNode* node) {
    std::string_view member;
    std::string_view table;
    for (const std::string_view name : kNamingMembers) {
      if (!table.empty()) break;
      member = name;
      table = text_of(node, name);
    }
    const bool is_named = member.ends_with("Arn") ? is_arn(table) : names_table(table);
    const std::string_view index = text_of(node, "IndexName");
    if (!is_named || (!index.empty() && !is_name(index))) return;
    found_.push_back({.table = table, .index = index});
    if (call_.operation->name != "CreateTable") return;
    if (!elements_of(node, "Tags").empty())
      found_.push_back({.table = table, .action = "TagResource"});
    if (!text_of(node, "ResourcePolicy").empty())
      found_.push_back({.table = table, .action = "PutResourcePolicy"});
  }

  Call& call_;
  Resources& found_;
};

}  // namespace

Resources readable_resources(const JsonNode& body, Call& call) {
  Resources found;
  if (body.kind() == Kind::Object) BodyReader(call, found).read(body);
  return found;
}

}  // namespace stator
