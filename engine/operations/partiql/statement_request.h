// One statement of a request: its text and its parameters, lowered.
#pragma once

#include <array>
#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/resources.h"
#include "engine/storage/digest.h"
#include "protocol/json_tree.h"
#include "protocol/partiql/lowering.h"
#include "protocol/result.h"

namespace stator {

// What becomes of one; lives in the call's arena.
struct StatementRequest {
  const partiql::Lowered* lowered = nullptr;
  std::string_view text;
  const JsonNode* parameters = nullptr;  // of the body; nullptr: there are none
};

// The values of `Parameters`, for all statements are checked before any is parsed.
Result<std::span<const Value>> parse_parameters(const JsonNode& node, Call& call);
// Text and lowering, with every error that needs no stored data.
Result<StatementRequest> parse_statement(const JsonNode& node, std::span<const Value> parameters,
                                         Call& call);

// Of what a statement asks for, as it was sent.
std::array<char, storage::kDigestBytes> fingerprint_of(const StatementRequest& request,
                                                       Arena& arena);

void statement_resources(const StatementRequest& request, Resources& touched);

}  // namespace stator
