// One statement of a request: its text and its parameters, lowered.
#pragma once

#include <array>
#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/resources.h"
#include "engine/storage/bytes/digest.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/partiql/lowering.h"
#include "protocol/partiql/tree.h"

namespace stator {

// A lowered statement. Lives in the call's arena.
struct StatementRequest {
  const partiql::Lowered* lowered = nullptr;
  std::string_view text;
  const JsonNode* parameters = nullptr;  // in the body; nullptr if none
};

// The values of `Parameters`. For all statements they are checked before any is parsed.
Result<std::span<const Value>> parse_parameters(const JsonNode& node, Call& call);
// Parses and lowers a statement; reports every error that needs no stored data.
Result<StatementRequest> parse_statement(const JsonNode& node, std::span<const Value> parameters,
                                         Call& call);

// Fingerprint of the statement as sent.
std::array<char, storage::kDigestBytes> fingerprint_of(const StatementRequest& request,
                                                       Arena& arena);

// What a statement touches, with its action: PartiQLSelect and so on. The caller sets what depends
// on the operation. `returns_old_on_failure`: the answer to a failed condition has the item.
Resource touched_statement(const partiql::Lowered& statement, bool returns_old_on_failure);
// What is known of a statement that is rejected.
Resource touched_rejected(std::string_view table_name, partiql::Statement::Kind kind);

}  // namespace stator
