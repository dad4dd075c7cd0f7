#include "engine/operations/partiql/statement_request.h"

#include <memory>

#include "engine/operations/transactions/fingerprint.h"
#include "protocol/attribute_value.h"
#include "protocol/partiql/statement_cache.h"
#include "protocol/shape.h"

namespace stator {

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

void statement_resources(const StatementRequest& request, Resources& touched) {
  const partiql::Lowered& lowered = *request.lowered;
  touched.push_back({.table = lowered.table,
                     .index = lowered.index.value_or(std::string_view()),
                     .key = lowered.item});
}

}  // namespace stator
