#include "server/templates/sources/workbench.h"

#include <string>
#include <utility>
#include <vector>

#include "server/templates/drafts/composer.h"
#include "server/templates/tree/node_values.h"

namespace stator::templates {
namespace {

// The model has an attribute's type wherever it is a key; CreateTable wants each once.
class KeyAttributes {
 public:
  explicit KeyAttributes(TableDraft& draft, Forest& forest) : draft_(draft), forest_(forest) {}

  // The KeySchema of {"PartitionKey": {…}, "SortKey": {…}}; Nothing after a mistake.
  Node keys_of(const Node& owner, std::string_view path) {
    const Node* const keys = owner.find("KeyAttributes");
    const Node* const hash = keys == nullptr ? nullptr : keys->find("PartitionKey");
    if (hash == nullptr) {
      draft_.mistake(owner.spot(), path, "KeyAttributes.PartitionKey is missing");
      return Node();
    }
    const Node* const range = keys->find("SortKey");
    add(*hash, path);
    if (range != nullptr) add(*range, path);
    return Composer(forest_, keys->spot())
        .key_schema(hash->text_in("AttributeName"),
                    range == nullptr ? std::string_view{} : range->text_in("AttributeName"));
  }

  const std::vector<Node>& definitions() const { return definitions_; }

 private:
  void add(const Node& key, std::string_view path) {
    const std::string_view name = key.text_in("AttributeName");
    const std::string_view type = key.text_in("AttributeType");
    if (name.empty() || type.empty())
      return draft_.mistake(key.spot(), path, "a key has AttributeName and AttributeType");
    for (const Node& known : definitions_) {
      if (known.text_in("AttributeName") != name) continue;
      if (known.text_in("AttributeType") != type)
        draft_.mistake(key.spot(), path,
                       compose({"attribute ", name, " has the types ",
                                known.text_in("AttributeType"), " and ", type}));
      return;
    }
    definitions_.push_back(Composer(forest_, key.spot()).attribute(name, "AttributeType", type));
  }

  TableDraft& draft_;
  Forest& forest_;
  std::vector<Node> definitions_;
};

Node indexes_of(const Node& list, bool is_local, const Node* throughput, KeyAttributes& keys,
                Forest& forest) {
  std::vector<Node> indexes;
  for (const Node& index : list.elements()) {
    const Composer composer(forest, index.spot());
    std::vector<Member> members;
    for (const std::string_view name : {"IndexName", "Projection"}) pass_on(members, index, name);
    members.push_back(composer.member(
        "KeySchema",
        keys.keys_of(index, is_local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes")));
    const Node* const own = index.find("ProvisionedCapacitySettings", "ProvisionedThroughput");
    if (!is_local && throughput != nullptr)
      members.push_back(
          composer.member("ProvisionedThroughput", own == nullptr ? *throughput : *own));
    indexes.push_back(composer.map(members));
  }
  return Composer(forest, list.spot()).list(indexes);
}

void add_items(TableDraft& draft, const Node& table) {
  const Node* const items = table.find("TableData");
  if (items == nullptr) return;
  for (const Node& item : items->elements()) {
    if (!item.is_map()) {
      draft.mistake(item.spot(), "TableData", "an item is an object of DynamoDB JSON");
      return;
    }
    append_json(draft.table().items.emplace_back(), item);
  }
}

void read_model_table(Reading& reading, Forest& forest, const Node& table) {
  const std::string name(table.text_in("TableName"));
  TableDraft draft(reading, forest, name, table.spot());
  if (name.empty()) return draft.mistake(table.spot(), {}, "TableName is missing");
  draft.set_name(name);
  draft.table().unsaid = {.time_to_live = true,
                          .tags = true,
                          .stream = true,
                          .table_class = true,
                          .protection = true,
                          .encryption = true};
  const Composer composer(forest, table.spot());
  KeyAttributes keys(draft, forest);
  std::vector<Member> members = {composer.member("KeySchema", keys.keys_of(table, {}))};
  // Versions before 3.0 have no mode; on demand fits any of them.
  const std::string_view said = table.text_in("BillingMode");
  const std::string_view mode = said.empty() ? std::string_view("PAY_PER_REQUEST") : said;
  members.push_back(composer.member("BillingMode", composer.text(mode)));
  const Node* const settings = table.find("ProvisionedCapacitySettings");
  const Node* throughput = nullptr;
  if (mode == "PROVISIONED" && settings != nullptr)
    throughput = settings->find("ProvisionedThroughput");
  if (throughput != nullptr) {
    members.push_back(composer.member("ProvisionedThroughput", *throughput));
    if (settings->find("AutoScalingRead") != nullptr ||
        settings->find("AutoScalingWrite") != nullptr)
      draft.leave_out("ProvisionedCapacitySettings.AutoScaling");
  }
  for (const std::string_view list : {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"})
    if (const Node* const found = table.find(list)) {
      const bool is_local = list == "LocalSecondaryIndexes";
      members.push_back(
          composer.member(list, indexes_of(*found, is_local, throughput, keys, forest)));
    }
  members.push_back(composer.member("AttributeDefinitions", composer.list(keys.definitions())));
  draft.add_properties(composer.map(members));
  add_items(draft, table);
  draft.finish();
}

}  // namespace

bool is_workbench(const Node& root) {
  const Node* const model = root.find("DataModel");
  return model != nullptr && model->is_list();
}

void read_workbench(Reading& reading, Forest& forest, const Node& root) {
  for (const Node& table : root.find("DataModel")->elements())
    read_model_table(reading, forest, table);
}

}  // namespace stator::templates
