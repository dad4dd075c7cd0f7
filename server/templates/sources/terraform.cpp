#include "server/templates/sources/terraform.h"

#include <map>

#include "server/templates/sources/provider_table.h"

namespace stator::templates {
namespace {

constexpr std::string_view kTable = "aws_dynamodb_table";
constexpr std::string_view kItem = "aws_dynamodb_table_item";
constexpr std::string_view kDestination = "aws_dynamodb_kinesis_streaming_destination";
constexpr std::string_view kPulumiTable = "aws:dynamodb/table:Table";
constexpr std::string_view kPulumiItem = "aws:dynamodb/tableItem:TableItem";
constexpr std::string_view kPulumiDestination =
    "aws:dynamodb/kinesisStreamingDestination:KinesisStreamingDestination";

const Node* root_module(const Node& root) {
  for (const std::string_view part : {"planned_values", "values"})
    if (const Node* const found = root.find(part, "root_module")) return found;
  return nullptr;
}

// Address -> what is known after an apply only.
std::map<std::string_view, const Node*> unknown_parts(const Node& root) {
  std::map<std::string_view, const Node*> parts;
  const Node* const changes = root.find("resource_changes");
  if (changes == nullptr) return parts;
  for (const Node& change : changes->elements())
    if (const Node* const unknown = change.find("change", "after_unknown"))
      parts.emplace(change.text_in("address"), unknown);
  return parts;
}

class TerraformReader {
 public:
  TerraformReader(Reading& reading, Forest& forest, const Node& root)
      : reading_(reading), forest_(forest), unknown_(unknown_parts(root)) {}

  // Items come after all tables, which may be in other modules. At most kDepthMax deep.
  void read_module(const Node& module, std::string_view type, std::size_t first) {
    if (const Node* const resources = module.find("resources"))
      for (const Node& resource : resources->elements())
        if (resource.text_in("type") == type && resource.text_in("mode") != "data")
          read_resource(resource, first);
    if (const Node* const modules = module.find("child_modules"))
      for (const Node& child : modules->elements()) read_module(child, type, first);
  }

 private:
  void read_resource(const Node& resource, std::size_t first) {
    const std::string_view address = resource.text_in("address");
    const Node* const values = resource.find("values");
    const auto unknown = unknown_.find(address);
    const Node nothing;
    const ProviderValues provider{values == nullptr ? nothing : *values,
                                  unknown == unknown_.end() ? nullptr : unknown->second};
    if (resource.text_in("type") == kTable) {
      read_provider_table(reading_, forest_, address, resource.spot(), provider);
    } else if (resource.text_in("type") == kDestination) {
      read_provider_destination(reading_, first, provider);
    } else {
      read_provider_item(reading_, forest_, first, address, resource.spot(), provider);
    }
  }

  Reading& reading_;
  Forest& forest_;
  const std::map<std::string_view, const Node*> unknown_;
};

const Node* pulumi_resources(const Node& root) { return root.find("deployment", "resources"); }

// The last part of urn:pulumi:STACK::PROJECT::TYPE::NAME.
std::string_view pulumi_name(std::string_view urn) {
  const std::size_t end = urn.rfind("::");
  return end == std::string_view::npos ? urn : urn.substr(end + 2);
}

}  // namespace

bool is_terraform(const Node& root) {
  return root.find("format_version") != nullptr && root_module(root) != nullptr;
}

void read_terraform(Reading& reading, Forest& forest, const Node& root) {
  const std::size_t first = reading.tables.size();
  TerraformReader reader(reading, forest, root);
  for (const std::string_view type : {kTable, kItem, kDestination})
    reader.read_module(*root_module(root), type, first);
}

bool is_pulumi(const Node& root) { return pulumi_resources(root) != nullptr; }

void read_pulumi(Reading& reading, Forest& forest, const Node& root) {
  const std::size_t first = reading.tables.size();
  for (const std::string_view type : {kPulumiTable, kPulumiItem, kPulumiDestination})
    for (const Node& resource : pulumi_resources(root)->elements()) {
      const Node* const outputs = resource.find("outputs");
      if (resource.text_in("type") != type || outputs == nullptr) continue;
      // A table that Pulumi only looks up is not made by it.
      const Node* const external = resource.find("external");
      if (external != nullptr && external->text() == "true") continue;
      const ProviderValues values{*outputs, nullptr, /*is_camel=*/true};
      const std::string_view name = pulumi_name(resource.text_in("urn"));
      if (type == kPulumiTable) {
        read_provider_table(reading, forest, name, resource.spot(), values);
      } else if (type == kPulumiDestination) {
        read_provider_destination(reading, first, values);
      } else {
        read_provider_item(reading, forest, first, name, resource.spot(), values);
      }
    }
}

}  // namespace stator::templates
