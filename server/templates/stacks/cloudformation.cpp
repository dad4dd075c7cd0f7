#include "server/templates/stacks/cloudformation.h"

#include <algorithm>
#include <utility>

#include "server/templates/drafts/composer.h"

namespace stator::templates {
namespace {

constexpr std::string_view kTableType = "AWS::DynamoDB::Table";
constexpr std::string_view kGlobalTableType = "AWS::DynamoDB::GlobalTable";
constexpr std::string_view kSimpleTableType = "AWS::Serverless::SimpleTable";

bool is_table_type(std::string_view type) {
  return type == kTableType || type == kGlobalTableType || type == kSimpleTableType;
}

// Whether a type of tables is anywhere in the node, at most kDepthMax deep.
bool mentions_table(const Node& node) {
  if (is_table_type(node.text())) return true;
  return std::any_of(node.elements().begin(), node.elements().end(), mentions_table) ||
         std::any_of(node.members().begin(), node.members().end(),
                     [](const Member& member) { return mentions_table(member.value); });
}

// The form of KeySchema from before 2013: {HashKeyElement: {AttributeName, AttributeType}}.
Node modern_keys(Forest& forest, const Node& properties) {
  const Node* const keys = properties.find("KeySchema");
  const Node* const hash = keys == nullptr ? nullptr : keys->find("HashKeyElement");
  if (hash == nullptr) return properties;
  const Node* const range = keys->find("RangeKeyElement");
  const Composer composer(forest, keys->spot());
  std::vector<Member> members;
  for (const Member& member : properties.members())
    if (member.name != "KeySchema") members.push_back(member);
  members.push_back(composer.member(
      "KeySchema", composer.key_schema(hash->text_in("AttributeName"),
                                       range == nullptr ? "" : range->text_in("AttributeName"))));
  if (properties.find("AttributeDefinitions") == nullptr) {
    std::vector<Node> definitions;
    for (const Node* const key : {hash, range})
      if (key != nullptr)
        definitions.push_back(composer.attribute(key->text_in("AttributeName"), "AttributeType",
                                                 key->text_in("AttributeType")));
    members.push_back(composer.member("AttributeDefinitions", composer.list(definitions)));
  }
  return composer.map(members);
}

}  // namespace

void CloudformationReader::read() {
  find_tables();
  if (const Node* const parameters = root_.find("Parameters"))
    for (const Member& member : parameters->members())
      reading_.declared_parameters.emplace_back(member.name);
  if (order_.empty() || !is_made()) return;
  for (const std::string_view id : order_) read_table(id, resources_.at(id));
}

bool CloudformationReader::is_made() {
  if (!evaluator_.others().is_made) return true;
  const auto is_made = evaluator_.others().is_made();
  if (!is_made) reading_.mistakes.push_back(is_made.error());
  return is_made.value_or(false);
}

void CloudformationReader::find_tables() {
  if (std::exchange(has_found_, true)) return;
  evaluator_.set_table_name([this](std::string_view id) { return name_of(id); });
  add_resources();
}

void CloudformationReader::add_resources() {
  const Node* const section = root_.find("Resources");
  if (section == nullptr) return;
  const auto resources = evaluator_.resolve_top(*section);
  if (!resources) return reading_.mistakes.push_back(resources.error());
  for (const Member& member : resources->members()) {
    if (member.name.starts_with("Fn::ForEach")) {
      refuse_loop(member);
    } else {
      add_resource(member);
    }
  }
}

void CloudformationReader::refuse_loop(const Member& member) {
  if (!mentions_table(member.value)) return;
  reading_.mistakes.push_back(evaluator_.forest().mistake(
      member.spot,
      compose(
          {member.name,
           " makes tables, and loops are not evaluated here; give the template "
           "as AWS processed it: aws cloudformation get-template --template-stage Processed"})));
}

void CloudformationReader::add_resource(const Member& member) {
  const auto resource = evaluator_.resolve_top(member.value);
  if (!resource) {
    // A part of another file, perhaps. It may be a table.
    reading_.mistakes.push_back(resource.error());
    return;
  }
  const std::string_view type = resource->text_in("Type");
  if (!is_table_type(type)) return;
  Resource found{member.spot, type, *resource, evaluator_.forest().make_map({}, member.spot)};
  if (const Node* const properties = resource->find("Properties")) {
    const auto resolved = evaluator_.resolve_top(*properties);
    if (!resolved) return reading_.mistakes.push_back(resolved.error());
    found.properties = *resolved;
  }
  reading_.declared_tables.emplace_back(member.name);
  order_.push_back(member.name);
  resources_.emplace(member.name, found);
}

void CloudformationReader::read_table(std::string_view id, const Resource& resource) {
  TableDraft draft(reading_, evaluator_.forest(), std::string(id), resource.spot);
  draft.set_resolve([this](const Node& node) { return evaluator_.resolve(node); });
  if (const Node* const condition = resource.node.find("Condition")) {
    const auto is_wanted = evaluator_.condition(condition->text(), condition->spot());
    if (!is_wanted) return draft.pass_mistake(is_wanted.error(), "Condition");
    if (!*is_wanted) return;
  }
  const auto name = name_of(id);
  if (!name) return draft.pass_mistake(name.error(), "TableName");
  draft.set_name(name->value_or(std::string()));
  Node properties = resource.properties;
  if (resource.type == kSimpleTableType) {
    properties = simple_table_properties(draft, resource);
  } else if (resource.type == kGlobalTableType) {
    const auto arranged = global_table_properties(draft, resource);
    if (!arranged) return;
    properties = *arranged;
  } else {
    properties = modern_keys(evaluator_.forest(), properties);
  }
  draft.add_properties(properties);
  draft.finish();
}

std::string CloudformationReader::made_name(std::string_view id) const {
  if (reading_.options.names == ReadOptions::Names::Logical) return std::string(id);
  return compose({evaluator_.stack_name(), "-", id});
}

tl::expected<std::optional<std::string>, Mistake> CloudformationReader::name_of(
    std::string_view id) {
  const auto found = resources_.find(id);
  if (found == resources_.end()) return std::optional<std::string>();
  const auto& given = reading_.options.table_names;
  const auto wanted = std::find_if(given.rbegin(), given.rend(),
                                   [&](const NamedText& name) { return name.first == id; });
  if (wanted != given.rend()) return std::optional(wanted->second);
  const auto [name, is_new] = names_.try_emplace(found->first);
  if (!is_new) {
    if (name->second.is_known) return std::optional(name->second.text);
    return tl::unexpected(evaluator_.forest().mistake(
        found->second.spot, compose({"the name of ", id, " refers to itself"})));
  }
  std::string text = made_name(id);
  if (const Node* const own = found->second.properties.find("TableName")) {
    const auto resolved = evaluator_.resolve(*own);
    if (!resolved || (!resolved->is_nothing() && !resolved->is_scalar())) {
      names_.erase(found->first);
      return tl::unexpected(resolved ? evaluator_.forest().mistake(own->spot(), "it must be a text")
                                     : resolved.error());
    }
    if (!resolved->is_nothing() && !resolved->is_null()) text = resolved->text();
  }
  return std::optional((names_[found->first] = {true, text}).text);
}

}  // namespace stator::templates
