// AWS::Serverless::SimpleTable: a partition key, on demand unless throughput is given.
#include "server/templates/drafts/composer.h"
#include "server/templates/stacks/cloudformation.h"

namespace stator::templates {
namespace {

std::string_view scalar_type(std::string_view type) {
  if (type == "String") return "S";
  if (type == "Number") return "N";
  return type == "Binary" ? "B" : type;
}

}  // namespace

Node CloudformationReader::simple_table_properties(TableDraft& draft, const Resource& resource) {
  const Node& properties = resource.properties;
  const Composer composer(evaluator_.forest(), resource.spot);
  std::string_view name = "id";
  std::string_view type = "String";
  const auto key = draft.value(properties, "PrimaryKey");
  if (key) {
    name = key->text_in("Name");
    type = key->text_in("Type");
    if (name.empty()) draft.mistake(key->spot(), "PrimaryKey", "Name is missing");
    if (type.empty()) draft.mistake(key->spot(), "PrimaryKey", "Type is missing");
  }
  std::vector<Member> members = {
      composer.member("AttributeDefinitions", composer.list({composer.attribute(
                                                  name, "AttributeType", scalar_type(type))})),
      composer.member("KeySchema", composer.key_schema(name, {}))};
  const auto throughput = draft.value(properties, "ProvisionedThroughput");
  if (throughput) {
    members.push_back(composer.member("ProvisionedThroughput", *throughput));
  } else {
    members.push_back(composer.member("BillingMode", composer.text("PAY_PER_REQUEST")));
  }
  if (const auto tags = draft.value(properties, "Tags")) {
    std::vector<Node> list;
    for (const Member& tag : tags->members())
      list.push_back(composer.map(
          {composer.member("Key", composer.text(tag.name)), composer.member("Value", tag.value)}));
    members.push_back(composer.member("Tags", composer.list(list)));
  }
  const Node* const globals = root_.find("Globals", "SimpleTable");
  for (const std::string_view other : {"SSESpecification", "PointInTimeRecoverySpecification"}) {
    const bool is_own = properties.find(other) != nullptr;
    if (is_own || globals != nullptr) pass_on(members, is_own ? properties : *globals, other);
  }
  return composer.map(members);
}

}  // namespace stator::templates
