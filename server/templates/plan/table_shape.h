// TableShape: what a table is, as plain values that can be compared. Defaults are filled in, and
// the order of definitions, indexes, tags and projected attributes does not count.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "protocol/json/json_tree.h"
#include "server/templates/desired_table.h"

namespace stator::templates {

struct KeyShape {
  std::string name;
  std::string type;  // "S", "N", "B"; empty where the definition is missing
  bool is_range = false;

  bool operator==(const KeyShape&) const = default;
};

// Numbers for reads and writes: capacity units, or requests per second.
struct UnitsShape {
  std::int64_t read = 0;
  std::int64_t write = 0;

  bool operator==(const UnitsShape&) const = default;
};

inline constexpr UnitsShape kNoLimit = {-1, -1};

// Of recovery, unless it is said.
inline constexpr int kPeriodDaysDefault = 35;

struct IndexShape {
  std::vector<KeyShape> keys;  // partition keys first
  std::string projection;      // ProjectionType
  std::set<std::string> attributes = {};
  UnitsShape throughput = {};   // zero with on demand, and of local indexes
  UnitsShape limit = kNoLimit;  // OnDemandThroughput
  std::optional<UnitsShape> warm = {};

  bool has_same_entries(const IndexShape& other) const {
    return keys == other.keys && projection == other.projection && attributes == other.attributes;
  }
};

// Of destinations in Kinesis, unless it is said.
inline constexpr const char* kPrecisionDefault = "MILLISECOND";

using IndexShapes = std::map<std::string, IndexShape>;

struct InsightsShape {
  bool is_enabled = false;
  std::string mode = {};  // ContributorInsightsMode; empty: not said, or not known
};

// By the index's name; that of the table itself is empty.
using InsightsShapes = std::map<std::string, InsightsShape>;

struct TableShape {
  std::string name;
  std::vector<KeyShape> keys = {};  // partition key first
  bool is_on_demand = false;
  UnitsShape throughput = {};   // zero with on demand
  UnitsShape limit = kNoLimit;  // OnDemandThroughput
  std::optional<UnitsShape> warm = {};
  IndexShapes global_indexes = {};
  IndexShapes local_indexes = {};
  std::string stream = {};  // its view type; empty: off
  std::string table_class = "STANDARD";
  bool is_protected = false;
  bool is_encrypted = false;  // with a key of KMS
  std::map<std::string, std::string> tags = {};
  std::string policy = {};                       // as canonical_json(); empty: none, or not said
  std::string ttl_attribute = {};                // empty: off
  std::optional<DesiredRecovery> recovery = {};  // empty: not said
  InsightsShapes insights = {};                  // without those that are not said
  std::optional<DesiredKinesis> kinesis = {};    // empty: not said, or not known
  UnsaidMembers unsaid = {};
};

// `table`, with what it cannot say as it is in `there`.
TableShape completed(TableShape table, const TableShape& there);

// Reads the body of a CreateTable. What has the wrong type counts as absent: the endpoint reports
// it. The error is for people.
tl::expected<TableShape, std::string> read_shape(std::string create_body);
tl::expected<TableShape, std::string> shape_of(const DesiredTable& table);

// The two numbers of ProvisionedThroughput, OnDemandThroughput or WarmThroughput; absent ones are
// those of `absent`.
UnitsShape read_units(const JsonNode& units, const char* read_name, const char* write_name,
                      UnitsShape absent);

// The text with members sorted by name and without white space; unchanged if it is no JSON.
std::string canonical_json(const std::string& text);

}  // namespace stator::templates
