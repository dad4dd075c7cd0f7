#include "engine/operations/transactions/client_tokens.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "engine/call/settings.h"
#include "engine/operations/transactions/fingerprint.h"
#include "engine/schema/capacity.h"
#include "protocol/service/error_texts.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

storage::TokenName name_of(const ClientToken& token, storage::TokenKind kind, Call& call) {
  return {scope_of(call, call.arena), kind, token.text};
}

// Fits a byte: reading an item takes at most 100 units.
static_assert(limits::kItemBytesMax / limits::kReadUnitBytes <= UINT8_MAX);
char read_units(const Decision& decision) {
  const auto before_bytes = static_cast<std::int64_t>(decision.before.size_bytes());
  const std::int64_t after_bytes = before_bytes + decision.difference.size_bytes;
  const auto size_bytes = static_cast<std::size_t>(std::max(before_bytes, after_bytes));
  return static_cast<char>(read_units_milli(size_bytes, /*consistent=*/true) / kMilliPerUnit);
}

}  // namespace

ClientToken parse_client_token(const JsonNode& body, const JsonNode& asked, Call& call) {
  ClientToken token{};
  token.text = string_member(body, "ClientRequestToken").value_or(std::string_view());
  call.client_token = token.text;
  if (token.text.empty()) return token;
  const Fingerprint fingerprint = fingerprint_of(asked, call.arena);
  token.fingerprint = call.arena.copy({fingerprint.data(), fingerprint.size()});
  return token;
}

Error token_mismatch() {
  return Error(ErrorCode::IdempotentParameterMismatch, std::string(kTokenMismatchText));
}

Result<std::optional<std::string_view>> find_earlier(const ClientToken& token,
                                                     storage::TokenKind kind,
                                                     const Snapshot& snapshot, Call& call) {
  if (token.text.empty() || call.forgets_token) return std::optional<std::string_view>();
  const storage::TokenName name = name_of(token, kind, call);
  STATOR_TRY(const auto kept, storage::find_token(snapshot.transaction(), name, snapshot.now()));
  const auto flying = kept ? std::nullopt : snapshot.find_flight(name);
  if (!kept && !flying) return std::optional<std::string_view>();
  if ((kept ? kept->fingerprint : *flying) != token.fingerprint) return token_mismatch();
  if (flying) {
    return Error(ErrorCode::TransactionInProgress, std::string(kTransactionInProgressText));
  }
  return std::optional(kept->payload);
}

void store_token(const ClientToken& token, storage::TokenKind kind,
                 std::span<const Decision> decisions, Mutation& mutation, Call& call) {
  if (token.text.empty()) return;
  const auto units = call.arena.allocate_array<char>(decisions.size());
  std::transform(decisions.begin(), decisions.end(), units.begin(), read_units);
  mutation.store_token(name_of(token, kind, call), token.fingerprint, {units.data(), units.size()});
}

TransactionCapacity capacity_of_repetition(std::string_view kept, std::span<const LocatedKey> keys,
                                           std::span<const WriteAction> actions, Timestamp now,
                                           Call& call) {
  TransactionCapacity capacity;
  const std::size_t count = std::min(kept.size(), keys.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto units = static_cast<std::uint8_t>(kept[i]);
    const Charge charge{.partition = keys[i].key.partition,
                        .units_milli = 2 * kMilliPerUnit * units,
                        .sort = keys[i].key.sort};
    call.charging.charge({*keys[i].table, {&charge, 1}}, capacity::Dimension::Read, now);
    capacity.add(*keys[i].table, actions[i].table_name, {&charge, 1});
  }
  return capacity;
}

}  // namespace stator
