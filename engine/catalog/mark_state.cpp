#include "engine/catalog/mark_state.h"

#include <bit>
#include <cstdint>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/environment/undo_log.h"

namespace stator {

std::vector<std::pair<storage::SpaceId, Throttling>> throttling_of(const Catalog& catalog) {
  std::vector<std::pair<storage::SpaceId, Throttling>> set;
  catalog.for_each([&](const Table& table) {
    const TableRuntime& runtime = *table.runtime;
    if (runtime.is_throttling_set) set.emplace_back(table.space, runtime.throttling.load());
  });
  return set;
}

std::string encode_mark_state(const MarkState& state) {
  std::string bytes;
  storage::ByteWriter out(bytes);
  out.be(static_cast<std::uint64_t>(state.made.unix_us));
  out.be(std::bit_cast<std::uint64_t>(state.pace.rate));
  out.be(static_cast<std::uint64_t>(state.pace.ahead_us));
  out.be(static_cast<std::uint32_t>(state.first_new_space));
  out.varint(state.throttling.size());
  for (const auto& [space, throttling] : state.throttling) {
    out.be(static_cast<std::uint32_t>(space));
    out.u8(static_cast<std::uint8_t>(throttling));
  }
  return bytes;
}

Result<MarkState> decode_mark_state(std::string_view bytes) {
  storage::ByteReader in(bytes);
  MarkState state;
  state.made.unix_us = static_cast<std::int64_t>(in.be<std::uint64_t>());
  state.pace.rate = std::bit_cast<double>(in.be<std::uint64_t>());
  state.pace.ahead_us = static_cast<std::int64_t>(in.be<std::uint64_t>());
  state.first_new_space = storage::SpaceId{in.be<std::uint32_t>()};
  const bool is_rate = state.pace.rate >= 0 && state.pace.rate <= ClockPace::kRateMax;
  for (std::size_t left = in.varint(); left > 0 && !in.is_damaged(); --left) {
    const storage::SpaceId space{in.be<std::uint32_t>()};
    const auto throttling = static_cast<Throttling>(in.u8());
    if (throttling > Throttling::Enforce) break;
    state.throttling.emplace_back(space, throttling);
  }
  STATOR_CHECK(in.finish("a mark's state"));
  if (!is_rate)
    return Error(ErrorCode::InternalServerError,
                 "the data is damaged: a mark's clock cannot be read");
  return state;
}

Result<bool> is_retained_by_mark(const storage::WriteTransaction& transaction,
                                 storage::SpaceId space) {
  if (transaction.newest_mark() == 0) return false;
  STATOR_TRY(const auto marks, storage::all_marks(transaction));
  STATOR_TRY(const MarkState newest, decode_mark_state(marks.back().state));
  return space < newest.first_new_space;
}

}  // namespace stator
