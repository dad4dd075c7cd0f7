// Tables as the text of a template, for `stator schema`. What a template need not say, because it
// is the default, is left out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "server/templates/plan/table_shape.h"

namespace stator::templates {

// The type of each key attribute of the table and its indexes.
std::map<std::string, std::string> attribute_types(const TableShape& table);

// Whether a text has to say the precision of the time of changes.
bool has_other_precision(const DesiredKinesis& kinesis);

// The warm throughput that a text has to say: above what a new table or index has, which is its
// own throughput or, on demand, that of the service.
std::optional<UnitsShape> raised_warm(const TableShape& table);
std::optional<UnitsShape> raised_warm(const IndexShape& index, bool is_on_demand);

// A template of CloudFormation in JSON: a resource for each table, with its name, time to live,
// recovery, policy and Kinesis
// destination. Logical ids come from the names and are different.
std::string cloudformation_text(const std::vector<TableShape>& tables);

// The input of `aws dynamodb create-table --cli-input-json`; of several tables a list of those.
// With time to live it has a TimeToLiveSpecification besides, which that command does not take.
// Recovery and Kinesis are left out.
std::string cli_text(const std::vector<TableShape>& tables);

// As cli_text(), with both: what --seed and `stator apply` read.
std::string stator_text(const std::vector<TableShape>& tables);

// Resources of Terraform. The error is for people: an index has several keys of one kind.
tl::expected<std::string, std::string> terraform_text(const std::vector<TableShape>& tables);

}  // namespace stator::templates
