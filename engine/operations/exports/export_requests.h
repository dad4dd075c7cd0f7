// What the requests of several export operations share: tables and exports that they name.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/call/call.h"
#include "engine/storage/descriptions/description_store.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/service/arn.h"
#include "protocol/shapes/shape.h"

namespace stator {

// The ARN of a table. Error for another form (conformance/observed/exports.md).
Result<TableArn> parse_exported_table(std::string_view text);

// A request for a page of exports or imports.
struct JobListRequest {
  std::optional<std::string_view> table_arn;
  std::size_t count_max;
  storage::DescriptionPosition before;
};
// `count_member` is the member with the size of the page.
Result<JobListRequest> parse_job_list(const JsonNode& body, const TypeSpec& shape,
                                      std::string_view count_member, Call& call);

// The parts of an export's ARN; views into the text.
struct ExportArn {
  TableArn table;
  std::string_view id;
};
// Error for an ARN of something else.
Result<ExportArn> parse_export_arn(std::string_view text);

}  // namespace stator
