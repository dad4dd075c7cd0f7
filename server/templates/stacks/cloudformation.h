// Tables of a template of CloudFormation, SAM or CDK.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/templates/drafts/table_draft.h"
#include "server/templates/intrinsics/evaluator.h"

namespace stator::templates {

class CloudformationReader {
 public:
  // `root` is the evaluator's. All must outlive the reader.
  CloudformationReader(Reading& reading, Evaluator& evaluator, const Node& root)
      : reading_(reading), evaluator_(evaluator), root_(root) {}
  CloudformationReader(const CloudformationReader&) = delete;
  CloudformationReader& operator=(const CloudformationReader&) = delete;

  // Finds the tables, so that the evaluator knows their names. Further calls do nothing.
  void find_tables();
  // Adds the tables, and the mistakes of those that are wrong. Call once.
  void read();

 private:
  struct Resource {
    Spot spot;
    std::string_view type;
    Node node;
    Node properties;
  };
  struct Name {
    bool is_known = false;  // false while its TableName is evaluated
    std::string text = {};
  };

  void add_resources();
  // False if this is a nested stack that its parent does not make.
  bool is_made();
  void refuse_loop(const Member& member);
  void add_resource(const Member& member);
  void read_table(std::string_view id, const Resource& resource);
  tl::expected<std::optional<std::string>, Mistake> name_of(std::string_view id);
  std::string made_name(std::string_view id) const;

  // simple_table.cpp, global_table.cpp: what these have, as AWS::DynamoDB::Table has it; empty
  // after a mistake.
  Node simple_table_properties(TableDraft& draft, const Resource& resource);
  std::optional<Node> global_table_properties(TableDraft& draft, const Resource& resource);
  std::optional<Node> own_replica(TableDraft& draft, const Node& properties);
  void add_global_indexes(TableDraft& draft, const Node& properties, const Node& replica,
                          bool is_provisioned, std::vector<Member>& members);

  Reading& reading_;
  Evaluator& evaluator_;
  const Node& root_;
  bool has_found_ = false;
  std::vector<std::string_view> order_;
  std::map<std::string_view, Resource> resources_;  // the tables
  std::map<std::string_view, Name> names_;
};

}  // namespace stator::templates
