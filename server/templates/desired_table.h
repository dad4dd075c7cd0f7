// DesiredTable: what a template asks for one table, as plain values. server/templates/sources reads
// them from files, server/templates/plan compares them with an endpoint.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stator::templates {

// A place in a file, for people. Lines and columns count from 1; 0 where the format has none.
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

// A mistake in a template, for people: "template.yaml:41:9: Orders.KeySchema: …".
struct Mistake {
  Place place;
  std::string text;

  std::string message() const;
};

// Point-in-time recovery as a template asks for it.
struct DesiredRecovery {
  bool is_enabled = false;
  std::optional<int> period_days = {};  // not given: the service's default
};

// Contributor insights of a table or of one of its indexes.
struct DesiredInsights {
  std::string index = {};  // empty: of the table
  bool is_enabled = false;
  std::string mode = {};  // empty: the service's default
};

// The stream of Kinesis that gets the changes of a table.
struct DesiredKinesis {
  std::string stream_arn = {};  // empty: none
  std::string precision = {};   // of the time of changes; empty: the service's default

  bool operator==(const DesiredKinesis&) const = default;
};

// Members of a table that the format of its file cannot say. They stay as they are.
struct UnsaidMembers {
  bool time_to_live = false;
  bool tags = false;
  bool stream = false;
  bool table_class = false;
  bool protection = false;
  bool encryption = false;
};

struct DesiredTable {
  std::string logical_id;  // as in the file; the name where a format has no other
  std::string name;
  Place place;
  // For CreateTable, with TableName, Tags, StreamSpecification and ResourcePolicy; well-formed
  // JSON, not checked against the service's rules.
  std::string create_body;
  std::string ttl_attribute = {};                // empty: off
  std::optional<DesiredRecovery> recovery = {};  // empty: the file does not say
  std::vector<DesiredInsights> insights = {};    // only those that the file speaks of
  std::optional<DesiredKinesis> kinesis = {};    // empty: the file does not say
  UnsaidMembers unsaid = {};
  std::vector<std::string> left_out = {};  // members that Stator has no operation for
  std::vector<std::string> items = {};     // sample data, objects of DynamoDB JSON
};

}  // namespace stator::templates
