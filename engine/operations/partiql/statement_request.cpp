#include "engine/operations/partiql/statement_request.h"

#include <memory>
#include <optional>

#include "engine/operations/items/item_requests.h"
#include "engine/operations/transactions/fingerprint.h"
#include "protocol/partiql/statement_cache.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

using Kind = partiql::Statement::Kind;

ReturnValues returned(std::optional<partiql::Returning> returning, bool returns_old_on_failure) {
  if (!returning) return returns_old_on_failure ? ReturnValues::AllOld : ReturnValues::None;
  if (returning->is_all) return returning->is_old ? ReturnValues::AllOld : ReturnValues::AllNew;
  if (returns_old_on_failure) return ReturnValues::AllOld;
  return returning->is_old ? ReturnValues::UpdatedOld : ReturnValues::UpdatedNew;
}

}  // namespace

Result<std::span<const Value>> parse_parameters(const JsonNode& node, Call& call) {
  const auto nodes = list_member(node, "Parameters");
  const auto values = call.arena.allocate_array<Value>(nodes.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    STATOR_TRY(values[i], decode_parameter(nodes[i], call.wording, call.arena));
  }
  return std::span<const Value>(values);
}

Result<StatementRequest> parse_statement(const JsonNode& node, std::span<const Value> parameters,
                                         Call& call) {
  StatementRequest request;
  request.text = *string_member(node, "Statement");
  request.parameters = node.find("Parameters");
  STATOR_TRY(const std::shared_ptr<const partiql::ParsedStatement> parsed,
             call.statements->parse(request.text));
  STATOR_TRY(request.lowered, partiql::lower(*parsed->statement, parameters, call.arena));
  return request;
}

std::array<char, storage::kDigestBytes> fingerprint_of(const StatementRequest& request,
                                                       Arena& arena) {
  storage::Digest digest;
  if (request.parameters != nullptr) {
    const Fingerprint parameters = fingerprint_of(*request.parameters, arena);
    digest.add({parameters.data(), parameters.size()});
  }
  digest.add(request.text);
  return digest.finish();
}

Resource touched_statement(const partiql::Lowered& statement, bool returns_old_on_failure) {
  Resource touched = touched_rejected(statement.table, statement.kind);
  touched.index = statement.index.value_or("");
  touched.is_incomplete = statement.refusal != nullptr;
  touched.statement = &statement;
  touched.key = statement.item;
  touched.condition = statement.where;
  touched.projection = statement.projection;
  touched.update = statement.update;
  if (!touched.select.empty() && !statement.columns.empty()) {
    touched.select = "SPECIFIC_ATTRIBUTES";
  } else if (!touched.select.empty() && statement.index) {
    touched.select = "ALL_PROJECTED_ATTRIBUTES";
  }
  if (!touched.return_values.empty())
    touched.return_values = to_text(returned(statement.returning, returns_old_on_failure));
  return touched;
}

Resource touched_rejected(std::string_view table_name, Kind kind) {
  Resource touched{.table = table_name, .key_source = KeySource::Where, .is_incomplete = true};
  switch (kind) {
    case Kind::Select:
    case Kind::Exists:
      touched.action = "PartiQLSelect";
      touched.select = "ALL_ATTRIBUTES";
      break;
    case Kind::Insert:
      touched.action = "PartiQLInsert";
      touched.key_source = KeySource::ItemKey;
      break;
    case Kind::Update:
      touched.action = "PartiQLUpdate";
      touched.return_values = "NONE";
      break;
    case Kind::Delete:
      touched.action = "PartiQLDelete";
      touched.return_values = "NONE";
      break;
  }
  return touched;
}

}  // namespace stator
