#include "server/templates/sources/table_json.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "server/templates/drafts/composer.h"
#include "server/templates/drafts/plain_items.h"
#include "server/templates/tree/node_values.h"

namespace stator::templates {
namespace {

constexpr std::string_view kFileSuffix = ".table.json";

bool is_description(const Node& table) {
  return table.find("TableStatus") != nullptr || table.find("TableArn") != nullptr;
}

bool is_one_table(const Node& node) {
  return node.find("KeySchema") != nullptr || node.find("Table", "KeySchema") != nullptr;
}

// The list of tables in jest-dynamodb's configuration.
const Node* jest_tables(const Node& root) {
  const Node* const tables = root.find("tables");
  return tables != nullptr && tables->is_list() ? tables : nullptr;
}

void add_stream_of(const Composer& composer, const Node& table, std::vector<Member>& members) {
  const Node* const stream = table.find("StreamSpecification");
  if (stream == nullptr) return;
  const Node* const enabled = stream->find("StreamEnabled");
  if (enabled != nullptr && !boolean_of(*enabled).value_or(true)) return;
  std::vector<Member> parts;
  pass_on(parts, *stream, "StreamViewType");
  members.push_back(composer.member("StreamSpecification", composer.map(parts)));
}

// Of CreateTable's input.
Node properties_of_input(Forest& forest, const Node& table) {
  const Composer composer(forest, table.spot());
  std::vector<Member> members;
  for (const Member& member : table.members()) {
    const bool is_apart = member.name == "data" || member.name == "TableName" ||
                          member.name == "StreamSpecification" ||
                          member.name == "SSESpecification" || member.name == "ResourcePolicy";
    if (!is_apart) members.push_back(member);
  }
  add_stream_of(composer, table, members);
  if (const Node* const encryption = table.find("SSESpecification")) {
    std::vector<Member> parts;
    pass_on(parts, *encryption, "SSEEnabled", "Enabled");
    for (const std::string_view name : {"SSEType", "KMSMasterKeyId"})
      pass_on(parts, *encryption, name);
    members.push_back(composer.member("SSESpecification", composer.map(parts)));
  }
  if (const Node* const policy = table.find("ResourcePolicy"))
    members.push_back(composer.member("ResourcePolicy",
                                      composer.map({composer.member("PolicyDocument", *policy)})));
  return composer.map(members);
}

// The members of a description that make such an index again.
Node described_indexes(Forest& forest, const Node& indexes, bool is_provisioned, bool is_local) {
  std::vector<Node> list;
  for (const Node& index : indexes.elements()) {
    std::vector<Member> members;
    for (const std::string_view name : {"IndexName", "KeySchema", "Projection"})
      pass_on(members, index, name);
    const Composer composer(forest, index.spot());
    const Node* const throughput = index.find("ProvisionedThroughput");
    if (is_provisioned && !is_local && throughput != nullptr)
      members.push_back(composer.member(
          "ProvisionedThroughput",
          composer.pair("ReadCapacityUnits", throughput->find("ReadCapacityUnits"),
                        "WriteCapacityUnits", throughput->find("WriteCapacityUnits"))));
    if (!is_provisioned && !is_local) pass_on(members, index, "OnDemandThroughput");
    list.push_back(composer.map(members));
  }
  return Composer(forest, indexes.spot()).list(list);
}

bool is_encrypted(const Node& description) {
  const Node* const status = description.find("SSEDescription", "Status");
  return status != nullptr && (status->text() == "ENABLED" || status->text() == "ENABLING" ||
                               status->text() == "UPDATING");
}

// Of DescribeTable's output. Warm throughput is left out: every description has it, even if no
// template asks for it.
Node properties_of_description(Forest& forest, const Node& table) {
  const Composer composer(forest, table.spot());
  std::vector<Member> members;
  for (const std::string_view name :
       {"AttributeDefinitions", "KeySchema", "DeletionProtectionEnabled"})
    pass_on(members, table, name);
  const Node* const mode = table.find("BillingModeSummary", "BillingMode");
  const bool is_provisioned = mode == nullptr || mode->text() != "PAY_PER_REQUEST";
  members.push_back(composer.member(
      "BillingMode", composer.text(is_provisioned ? "PROVISIONED" : "PAY_PER_REQUEST")));
  const Node* const throughput = table.find("ProvisionedThroughput");
  if (is_provisioned && throughput != nullptr)
    members.push_back(composer.member(
        "ProvisionedThroughput",
        composer.pair("ReadCapacityUnits", throughput->find("ReadCapacityUnits"),
                      "WriteCapacityUnits", throughput->find("WriteCapacityUnits"))));
  if (!is_provisioned) pass_on(members, table, "OnDemandThroughput");
  for (const std::string_view name : {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"})
    if (const Node* const found = table.find(name))
      members.push_back(composer.member(name, described_indexes(forest, *found, is_provisioned,
                                                                name == "LocalSecondaryIndexes")));
  add_stream_of(composer, table, members);
  if (const Node* const table_class = table.find("TableClassSummary"))
    pass_on(members, *table_class, "TableClass");
  // Its key is one of the account that was described, so another account takes its own.
  if (is_encrypted(table))
    members.push_back(composer.member(
        "SSESpecification", composer.map({composer.member("SSEEnabled", composer.truth(true))})));
  return composer.map(members);
}

// CreateTable has no time to live, a description neither that nor tags, nor do old ones have
// protection.
UnsaidMembers unsaid_in(const Node& table, bool is_described) {
  return {.time_to_live = table.find("TimeToLiveSpecification") == nullptr,
          .tags = is_described && table.find("Tags") == nullptr,
          .protection = is_described && table.find("DeletionProtectionEnabled") == nullptr};
}

void read_one_table(Reading& reading, Forest& forest, const Node& node, const std::string& path) {
  const Node* const inner = node.find("Table");
  const Node& table = inner == nullptr ? node : *inner;
  std::string name(table.text_in("TableName"));
  const std::string file = std::filesystem::path(path).filename().string();
  if (name.empty() && file.ends_with(kFileSuffix))
    name = file.substr(0, file.size() - kFileSuffix.size());
  TableDraft draft(reading, forest, name, table.spot());
  if (name.empty()) return draft.mistake(table.spot(), "TableName", "it is missing");
  draft.set_name(name);
  const bool is_described = inner != nullptr || is_description(table);
  draft.add_properties(is_described ? properties_of_description(forest, table)
                                    : properties_of_input(forest, table));
  draft.table().unsaid = unsaid_in(table, is_described);
  if (const Node* const items = table.find("data")) add_plain_items(draft, *items);
  draft.finish();
}

}  // namespace

bool is_table_json(const Node& root) {
  if (jest_tables(root) != nullptr) return true;
  if (!root.is_list()) return is_one_table(root);
  return !root.elements().empty() &&
         std::all_of(root.elements().begin(), root.elements().end(), is_one_table);
}

void read_table_json(Reading& reading, Forest& forest, const Node& root, const std::string& path) {
  const Node* const tables = root.is_list() ? &root : jest_tables(root);
  if (tables == nullptr) return read_one_table(reading, forest, root, path);
  for (const Node& table : tables->elements()) read_one_table(reading, forest, table, {});
}

}  // namespace stator::templates
