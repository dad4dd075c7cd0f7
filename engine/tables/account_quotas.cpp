#include "engine/tables/account_quotas.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/catalog/catalog.h"
#include "engine/tables/table_definition.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

constexpr std::string_view kSeeGuide =
    " Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher "
    "limits.";

struct Dimension {
  std::string_view name;  // as in TableMaxReadCapacityUnits
  std::int64_t Throughput::*units;
  std::optional<std::int64_t> OnDemandThroughput::*ceiling;
};
constexpr std::array kDimensions{
    Dimension{"Read", &Throughput::read_units, &OnDemandThroughput::max_read_units},
    Dimension{"Write", &Throughput::write_units, &OnDemandThroughput::max_write_units}};

// Throughput requested for the table (no name) or an index.
struct Asked {
  const JsonNode& members;
  std::string_view index_name;
};

std::vector<Asked> asked_by(const JsonNode& body) {
  std::vector<Asked> all{{body, {}}};
  for (const JsonNode& index : list_member(body, "GlobalSecondaryIndexes"))
    all.push_back({index, *string_member(index, "IndexName")});
  for (const JsonNode& update : list_member(body, "GlobalSecondaryIndexUpdates")) {
    for (const std::string_view action : {"Create", "Update"}) {
      if (const JsonNode* index = update.find(action))
        all.push_back({*index, *string_member(*index, "IndexName")});
    }
  }
  return all;
}

Error above_table_maximum(const Dimension& dimension, std::int64_t units, const Table& table) {
  return Error::limit_exceeded(
      "The requested " + std::string(dimension.name) + "CapacityUnits, " + std::to_string(units) +
      ", is above the per table maximum for the account in " + table.region +
      ". Per table maximum: " + std::to_string(limits::kTableUnitsMax) + "." +
      std::string(kSeeGuide));
}

Error above_maximum(const std::string& member, const std::string& of, const Dimension& dimension,
                    const Table& table) {
  std::string text = "Subscriber limit exceeded: Requested " + member;
  text.append(" for OnDemandThroughput for ").append(of);
  text.append(" exceeds TableMax").append(dimension.name);
  return Error::limit_exceeded(
      text.append("CapacityUnits of the account in region ").append(table.region));
}

// Checks one table or index alone.
Result<void> check_one(const Asked& asked, const Table& table) {
  const Throughput provisioned = build_throughput(asked.members.find("ProvisionedThroughput"));
  const OnDemandThroughput ceilings = build_on_demand(asked.members.find("OnDemandThroughput"));
  for (const Dimension& dimension : kDimensions) {
    const std::int64_t units = provisioned.*dimension.units;
    if (units > limits::kTableUnitsMax) return above_table_maximum(dimension, units, table);
    if ((ceilings.*dimension.ceiling).value_or(0) <= limits::kTableUnitsMax) continue;
    return above_maximum(
        "Max" + std::string(dimension.name) + "RequestUnits",
        asked.index_name.empty() ? "table" : "index : " + std::string(asked.index_name), dimension,
        table);
  }
  return {};
}

// Throughput of a table and its indexes; zero in on-demand mode.
Throughput reserved_by(const Table& table) {
  if (table.settings.billing_mode == BillingMode::PayPerRequest) return {};
  Throughput sum = table.settings.throughput;
  for (const GlobalIndex& index : table.global_indexes) {
    sum.read_units += index.throughput.read_units;
    sum.write_units += index.throughput.write_units;
  }
  return sum;
}

// The table's current throughput that the request replaces.
Throughput replaced(const Asked& asked, const Table& table) {
  if (table.settings.billing_mode == BillingMode::PayPerRequest) return {};
  if (asked.index_name.empty()) return table.settings.throughput;
  const GlobalIndex* index = table.find_global_index(asked.index_name);
  return index != nullptr ? index->throughput : Throughput{};
}

}  // namespace

Result<void> check_account_quotas(const JsonNode& body, const Table& table,
                                  const Snapshot& snapshot) {
  Throughput more;
  bool is_asked = false;
  for (const Asked& asked : asked_by(body)) {
    STATOR_CHECK(check_one(asked, table));
    const JsonNode* throughput = asked.members.find("ProvisionedThroughput");
    if (throughput == nullptr) continue;
    is_asked = true;
    const Throughput wanted = build_throughput(throughput);
    const Throughput before = replaced(asked, table);
    more.read_units += wanted.read_units - before.read_units;
    more.write_units += wanted.write_units - before.write_units;
  }
  if (!is_asked) return {};
  Throughput reserved;
  snapshot.catalog().tables(table.scope).for_each([&](const std::string&, const auto& other) {
    if (other->region != table.region) return;
    const Throughput units = reserved_by(*other);
    reserved.read_units += units.read_units;
    reserved.write_units += units.write_units;
  });
  for (const Dimension& dimension : kDimensions) {
    const std::int64_t wanted = more.*dimension.units;
    const std::int64_t now = reserved.*dimension.units;
    if (wanted <= 0 || now + wanted <= limits::kAccountUnitsMax) continue;
    const std::string units = std::string(dimension.name) + "CapacityUnits";
    std::string text = "This request would have caused the " + units;
    text.append(" limit to be exceeded for the account in ").append(table.region);
    text.append(". Current ").append(units).append(" reserved by the account: ");
    text.append(std::to_string(now)).append(". Limit: ");
    text.append(std::to_string(limits::kAccountUnitsMax)).append(". Requested: ");
    return Error::limit_exceeded(text.append(std::to_string(wanted)).append(".").append(kSeeGuide));
  }
  return {};
}

}  // namespace stator
