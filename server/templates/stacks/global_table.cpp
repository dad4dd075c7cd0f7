// AWS::DynamoDB::GlobalTable, which CDK's TableV2 becomes: the table in the own Region. Members of
// replicas are passed on unevaluated, because some name resources that only AWS knows.
#include "server/templates/drafts/composer.h"
#include "server/templates/stacks/cloudformation.h"

namespace stator::templates {
namespace {

// The capacity of {"WriteCapacityUnits": …} or {"WriteCapacityAutoScalingSettings": …}: with auto
// scaling the capacity that it begins with.
const Node* capacity_of(const Node* settings, std::string_view units, std::string_view scaling) {
  if (settings == nullptr) return nullptr;
  if (const Node* const fixed = settings->find(units)) return fixed;
  const Node* const scaled = settings->find(scaling);
  if (scaled == nullptr) return nullptr;
  const Node* const seed = scaled->find("SeedCapacity");
  return seed != nullptr ? seed : scaled->find("MinCapacity");
}

// Throughput of a table or index; `reads` is its replica's part, which wins over `writes`.
void add_throughput(const Composer& composer, const Node& writes, const Node& reads,
                    bool is_provisioned, std::vector<Member>& members) {
  const auto setting = [&](std::string_view name) {
    const Node* const own = reads.find(name);
    return own != nullptr ? own : writes.find(name);
  };
  if (is_provisioned) {
    const Node* const read = capacity_of(setting("ReadProvisionedThroughputSettings"),
                                         "ReadCapacityUnits", "ReadCapacityAutoScalingSettings");
    const Node* const write = capacity_of(setting("WriteProvisionedThroughputSettings"),
                                          "WriteCapacityUnits", "WriteCapacityAutoScalingSettings");
    members.push_back(
        composer.member("ProvisionedThroughput",
                        composer.pair("ReadCapacityUnits", read, "WriteCapacityUnits", write)));
    return;
  }
  const Node* const read_settings = setting("ReadOnDemandThroughputSettings");
  const Node* const write_settings = setting("WriteOnDemandThroughputSettings");
  const Node* const read =
      read_settings == nullptr ? nullptr : read_settings->find("MaxReadRequestUnits");
  const Node* const write =
      write_settings == nullptr ? nullptr : write_settings->find("MaxWriteRequestUnits");
  if (read == nullptr && write == nullptr) return;
  members.push_back(
      composer.member("OnDemandThroughput",
                      composer.pair("MaxReadRequestUnits", read, "MaxWriteRequestUnits", write)));
}

// What has no place in one table.
constexpr std::string_view kForManyRegions[] = {
    "MultiRegionConsistency", "GlobalTableWitnesses", "GlobalTableSourceArn",
    "GlobalTableSettingsReplicationMode", "VectorIndexes"};
constexpr std::string_view kOfReplica[] = {"Tags",
                                           "TableClass",
                                           "ResourcePolicy",
                                           "PointInTimeRecoverySpecification",
                                           "DeletionProtectionEnabled",
                                           "ContributorInsightsSpecification",
                                           "KinesisStreamSpecification"};
constexpr std::string_view kOfTable[] = {"AttributeDefinitions",  "KeySchema",
                                         "LocalSecondaryIndexes", "StreamSpecification",
                                         "SSESpecification",      "TimeToLiveSpecification"};
constexpr std::string_view kThroughputNames[] = {
    "ReadProvisionedThroughputSettings", "WriteProvisionedThroughputSettings",
    "ReadOnDemandThroughputSettings", "WriteOnDemandThroughputSettings"};

// The members of `from` with these names, evaluated.
Node evaluated(TableDraft& draft, Forest& forest, const Node& from,
               std::span<const std::string_view> names) {
  std::vector<Member> members;
  for (const std::string_view name : names)
    if (const auto value = draft.value(from, name))
      members.push_back({name, *value, value->spot()});
  return forest.make_map(members, from.spot());
}

const Node* element_of(const std::optional<Node>& indexes, std::string_view name) {
  if (!indexes) return nullptr;
  for (const Node& index : indexes->elements())
    if (index.text_in("IndexName") == name) return &index;
  return nullptr;
}

}  // namespace

// Without a replica in the own Region the first one; an empty map without any.
std::optional<Node> CloudformationReader::own_replica(TableDraft& draft, const Node& properties) {
  const Node* const member = properties.find("Replicas");
  if (member == nullptr) return evaluator_.forest().make_map({}, properties.spot());
  const auto fail = [&](const Mistake& mistake) {
    draft.pass_mistake(mistake, "Replicas");
    return std::nullopt;
  };
  const auto replicas = evaluator_.resolve_top(*member);
  if (!replicas) return fail(replicas.error());
  if (replicas->elements().size() > 1) draft.leave_out("Replicas of other Regions");
  std::optional<Node> chosen;
  for (const Node& element : replicas->elements()) {
    const auto replica = evaluator_.resolve_top(element);
    if (!replica) return fail(replica.error());
    if (!replica->is_map()) continue;
    if (!chosen) chosen = *replica;
    const Node* const region = replica->find("Region");
    const auto name = region == nullptr ? Resolution(Node()) : evaluator_.resolve(*region);
    if (!name) return fail(name.error());
    if (name->text() == reading_.options.region) chosen = *replica;
  }
  return chosen ? *chosen : evaluator_.forest().make_map({}, properties.spot());
}

std::optional<Node> CloudformationReader::global_table_properties(TableDraft& draft,
                                                                  const Resource& resource) {
  Forest& forest = evaluator_.forest();
  const Node& properties = resource.properties;
  const Composer composer(forest, resource.spot);
  const auto replica = own_replica(draft, properties);
  if (!replica) return std::nullopt;
  std::vector<Member> members;
  for (const std::string_view name : kOfTable) pass_on(members, properties, name);
  for (const std::string_view name : kForManyRegions) pass_on(members, properties, name);
  for (const std::string_view name : kOfReplica) pass_on(members, *replica, name);
  pass_on(members, properties, "WarmThroughput");
  const auto mode = draft.value(properties, "BillingMode");
  if (mode) members.push_back(composer.member("BillingMode", *mode));
  const bool is_provisioned = !mode || mode->text() != "PAY_PER_REQUEST";
  add_throughput(composer, evaluated(draft, forest, properties, kThroughputNames),
                 evaluated(draft, forest, *replica, kThroughputNames), is_provisioned, members);
  add_global_indexes(draft, properties, *replica, is_provisioned, members);
  return composer.map(members);
}

void CloudformationReader::add_global_indexes(TableDraft& draft, const Node& properties,
                                              const Node& replica, bool is_provisioned,
                                              std::vector<Member>& members) {
  const auto indexes = draft.value(properties, "GlobalSecondaryIndexes");
  if (!indexes) return;
  const auto of_replica = draft.value(replica, "GlobalSecondaryIndexes");
  std::vector<Node> list;
  for (const Node& index : indexes->elements()) {
    const Composer composer(evaluator_.forest(), index.spot());
    const Node* const own = element_of(of_replica, index.text_in("IndexName"));
    std::vector<Member> parts;
    for (const std::string_view name : {"IndexName", "KeySchema", "Projection", "WarmThroughput"})
      pass_on(parts, index, name);
    if (own != nullptr) pass_on(parts, *own, "ContributorInsightsSpecification");
    add_throughput(composer, index, own == nullptr ? Node() : *own, is_provisioned, parts);
    list.push_back(composer.map(parts));
  }
  const Composer composer(evaluator_.forest(), indexes->spot());
  members.push_back(composer.member("GlobalSecondaryIndexes", composer.list(list)));
}

}  // namespace stator::templates
