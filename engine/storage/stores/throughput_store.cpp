#include "engine/storage/stores/throughput_store.h"

#include <vector>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/keys/keys.h"

namespace stator::storage {
namespace {

using capacity::PartitionSplit;
using capacity::PersistedBalances;
using capacity::PersistedThroughput;
using capacity::Position;
using capacity::ScheduledThroughput;
using capacity::SplitCause;

constexpr std::string_view kName = "what a table can serve";

void put(ByteWriter& out, std::int64_t number) { out.be(static_cast<std::uint64_t>(number)); }
void put(ByteWriter& out, Timestamp time) { put(out, time.unix_us); }
void put(ByteWriter& out, const Throughput& units) {
  put(out, units.read_units);
  put(out, units.write_units);
}
void put(ByteWriter& out, const Position& place) {
  out.be(place.hash);
  out.bytes(place.sort);
}
void put(ByteWriter& out, const PersistedThroughput::Part& partition) {
  put(out, partition.begin);
  put(out, partition.size_bytes);
}
void put(ByteWriter& out, const PartitionSplit& split) {
  put(out, split.at);
  out.u8(static_cast<std::uint8_t>(split.cause));
  put(out, split.boundary);
}
void put(ByteWriter& out, const PersistedBalances::Bucket& bucket) {
  out.varint(bucket.number);
  put(out, bucket.balance_micro);
}
void put(ByteWriter& out, const ScheduledThroughput& raise) {
  put(out, raise.at);
  put(out, raise.to);
}
template <class Element>
void put(ByteWriter& out, const std::vector<Element>& list) {
  out.varint(list.size());
  for (const Element& element : list) put(out, element);
}

// Reads the output of put(). finish() reports values that make no sense.
class ThroughputReader {
 public:
  explicit ThroughputReader(std::string_view bytes) : in_(bytes) {}

  void get(std::int64_t& number) {
    number = static_cast<std::int64_t>(in_.be<std::uint64_t>());
    is_sound_ = is_sound_ && number >= 0;
  }
  void get(Timestamp& time) { get(time.unix_us); }
  void get(Throughput& units) {
    get(units.read_units);
    get(units.write_units);
  }
  void get(Position& place) {
    place.hash = in_.be<std::uint32_t>();
    place.sort = in_.bytes();
    is_sound_ = is_sound_ && place.hash < capacity::kHashesEnd &&
                place.sort.size() <= capacity::kPositionSortBytesMax;
  }
  void get(PersistedThroughput::Part& partition) {
    get(partition.begin);
    get(partition.size_bytes);
  }
  void get(PartitionSplit& split) {
    get(split.at);
    split.cause = static_cast<SplitCause>(get_u8(static_cast<std::uint8_t>(SplitCause::Size)));
    get(split.boundary);
  }
  void get(ScheduledThroughput& raise) {
    get(raise.at);
    get(raise.to);
  }
  void get(PersistedBalances::Bucket& bucket) {
    bucket.number = static_cast<std::uint32_t>(in_.varint());
    bucket.balance_micro = static_cast<std::int64_t>(in_.be<std::uint64_t>());
  }
  template <class Element>
  void get(std::vector<Element>& list) {
    for (std::size_t left = in_.varint(); left > 0 && !in_.is_damaged(); --left)
      get(list.emplace_back());
  }
  std::uint8_t get_u8(std::uint8_t highest) {
    const std::uint8_t value = in_.u8();
    is_sound_ = is_sound_ && value <= highest;
    return value;
  }

  bool at_end() const { return in_.at_end(); }
  Result<void> finish() const {
    STATOR_CHECK(in_.finish(kName));
    return is_sound_ ? Result<void>() : unsound();
  }
  static Error unsound() {
    return Error(ErrorCode::InternalServerError,
                 "the data is damaged: " + std::string(kName) + " means nothing");
  }

 private:
  ByteReader in_;
  bool is_sound_ = true;
};

bool covers_all_places(const std::vector<PersistedThroughput::Part>& partitions) {
  if (partitions.empty() || partitions.front().begin != Position{}) return false;
  for (std::size_t i = 1; i < partitions.size(); ++i) {
    if (partitions[i].begin <= partitions[i - 1].begin) return false;
  }
  return true;
}

bool names_buckets(const std::vector<PersistedBalances::Bucket>& buckets, std::size_t partitions) {
  for (std::size_t i = 1; i < buckets.size(); ++i) {
    if (buckets[i].number <= buckets[i - 1].number) return false;
  }
  return buckets.empty() || buckets.back().number < capacity::bucket_count(partitions);
}

}  // namespace

std::string encode_throughput(const StoredThroughput& throughput) {
  std::string value;
  ByteWriter out(value);
  const PersistedThroughput& persisted = throughput.state;
  out.u8(throughput.throttling ? static_cast<std::uint8_t>(*throughput.throttling) + 1 : 0);
  out.u8(persisted.mode == BillingMode::PayPerRequest ? 1 : 0);
  out.u8(persisted.was_warmed ? 1 : 0);
  put(out, persisted.warm);
  for (const std::int64_t peak_milli : persisted.peaks_milli) put(out, peak_milli);
  put(out, persisted.partitions);
  put(out, persisted.splits);
  put(out, persisted.splits_due);
  put(out, persisted.growths_due);
  put(out, persisted.on_demand_switches);
  put(out,
      persisted.warming ? std::vector{*persisted.warming} : std::vector<ScheduledThroughput>());
  if (!persisted.balances) return value;
  put(out, persisted.balances->as_of);
  put(out, persisted.balances->lacking);
  return value;
}

Result<StoredThroughput> decode_throughput(std::string_view bytes) {
  ThroughputReader in(bytes);
  StoredThroughput throughput;
  PersistedThroughput& persisted = throughput.state;
  const std::uint8_t throttling = in.get_u8(static_cast<std::uint8_t>(Throttling::Enforce) + 1);
  if (throttling > 0) throughput.throttling = static_cast<Throttling>(throttling - 1);
  persisted.mode = in.get_u8(1) == 1 ? BillingMode::PayPerRequest : BillingMode::Provisioned;
  persisted.was_warmed = in.get_u8(1) == 1;
  in.get(persisted.warm);
  for (std::int64_t& peak_milli : persisted.peaks_milli) in.get(peak_milli);
  in.get(persisted.partitions);
  in.get(persisted.splits);
  in.get(persisted.splits_due);
  in.get(persisted.growths_due);
  in.get(persisted.on_demand_switches);
  std::vector<ScheduledThroughput> warming;
  in.get(warming);
  PersistedBalances balances;
  const bool has_balances = !in.at_end();
  if (has_balances) {
    in.get(balances.as_of);
    in.get(balances.lacking);
  }
  STATOR_CHECK(in.finish());
  if (!covers_all_places(persisted.partitions) || warming.size() > 1 ||
      !names_buckets(balances.lacking, persisted.partitions.size()))
    return ThroughputReader::unsound();
  if (has_balances) persisted.balances = std::move(balances);
  if (!warming.empty()) persisted.warming = warming.front();
  return throughput;
}

Result<std::optional<StoredThroughput>> find_throughput(const Transaction& transaction,
                                                        SpaceId space) {
  STATOR_TRY(const auto stored,
             transaction.find(Database::Throughput, SpaceKey{space}.encode().view()));
  if (!stored) return std::optional<StoredThroughput>();
  STATOR_TRY(StoredThroughput throughput, decode_throughput(*stored));
  return std::optional(std::move(throughput));
}

Result<void> put_throughput(WriteTransaction& transaction, SpaceId space,
                            const StoredThroughput& throughput) {
  return transaction.put(Database::Throughput, SpaceKey{space}.encode().view(),
                         encode_throughput(throughput));
}

Result<void> erase_throughput(WriteTransaction& transaction, SpaceId space) {
  STATOR_CHECK(
      transaction.erase(Database::Throughput, SpaceKey{space}.encode().view()).map([](bool) {}));
  return {};
}

Result<void> for_each_throughput(
    const Transaction& transaction,
    const std::function<Result<void>(SpaceId, std::string_view)>& visit) {
  std::string key;
  for (;;) {
    STATOR_TRY(const auto met, transaction.seek(Database::Throughput, key, /*after=*/!key.empty()));
    if (!met) return {};
    key = met->key;
    STATOR_TRY(const SpaceKey decoded, SpaceKey::decode(key));
    STATOR_CHECK(visit(decoded.space, met->value));
  }
}

}  // namespace stator::storage
