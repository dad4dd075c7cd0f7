// FilterSpecification of an export: which items it has, and which parts of them. The language is
// that of Query if there is a key condition, else that of Scan, with the errors of both.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/catalog/primary_key.h"
#include "engine/pages/key_range.h"
#include "engine/pages/read_plan.h"
#include "engine/schema/table.h"
#include "protocol/errors/result.h"
#include "protocol/expression/syntax/cache.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"
#include "protocol/service/wording.h"
#include "protocol/values/value.h"

namespace stator {

// The members of a specification that the service knows, as JSON text. "{}": it is empty.
std::string export_filter_text(const JsonNode& specification);

// Reports every error that needs no table, in the service's order. The plan lives in `arena` and
// refers to the specification. `cache` may be nullptr. REQUIRES: the types are checked.
Result<QueryPlan> parse_export_filter(const JsonNode& specification, Wording wording, Arena& arena,
                                      expr::ExpressionCache* cache);

// Checks the plan against the table's keys. Returns the range of its key condition, if it has one.
Result<std::optional<KeyRange>> fit_export_filter(const QueryPlan& plan, const Table& table,
                                                  Wording wording, Arena& arena);

// A specification that is ready to be asked. Safe to use from one thread at a time.
class ExportFilter {
 public:
  // `text` is that of export_filter_text(), `table` as it was at the request. Error: the text is
  // damaged.
  static Result<std::shared_ptr<const ExportFilter>> read(std::string text, const Table& table);

  // Whether the key condition, if any, has the key.
  bool has_key(const PrimaryKey& key) const;
  // Whether an item, sorted by name, meets the filter expression, if any.
  bool matches(Item item) const;
  // The part of a sorted item that the projection selects. Refers to the item, `arena` and this.
  Item projected(Item item, Arena& arena) const;

  // For read(): without a plan it fits everything.
  explicit ExportFilter(std::string text) : text_(std::move(text)) {}

 private:
  std::string text_;  // which the plan refers to
  Arena arena_;
  QueryPlan plan_;
  std::optional<KeyRange> range_;
};

}  // namespace stator
