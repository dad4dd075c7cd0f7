#include "engine/storage/throughput_store.h"

#include <vector>

#include "engine/storage/bytes.h"
#include "engine/storage/keys.h"

namespace stator::storage {
namespace {

using capacity::KeptBalances;
using capacity::KeptThroughput;
using capacity::PartitionSplit;
using capacity::Position;
using capacity::SplitCause;
using capacity::Warming;

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
void put(ByteWriter& out, const KeptThroughput::Part& partition) {
  put(out, partition.begin);
  put(out, partition.size_bytes);
}
void put(ByteWriter& out, const PartitionSplit& split) {
  put(out, split.at);
  out.u8(static_cast<std::uint8_t>(split.cause));
  put(out, split.boundary);
}
void put(ByteWriter& out, const KeptBalances::Bucket& bucket) {
  out.varint(bucket.number);
  put(out, bucket.balance_micro);
}
void put(ByteWriter& out, const Warming& raise) {
  put(out, raise.at);
  put(out, raise.to);
}
template <class Element>
void put(ByteWriter& out, const std::vector<Element>& list) {
  out.varint(list.size());
  for (const Element& element : list) put(out, element);
}

// Reads what put() wrote; whether it means something is said at the end.
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
  void get(KeptThroughput::Part& partition) {
    get(partition.begin);
    get(partition.size_bytes);
  }
  void get(PartitionSplit& split) {
    get(split.at);
    split.cause = static_cast<SplitCause>(get_u8(static_cast<std::uint8_t>(SplitCause::Size)));
    get(split.boundary);
  }
  void get(Warming& raise) {
    get(raise.at);
    get(raise.to);
  }
  void get(KeptBalances::Bucket& bucket) {
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

bool covers_all_places(const std::vector<KeptThroughput::Part>& partitions) {
  if (partitions.empty() || partitions.front().begin != Position{}) return false;
  for (std::size_t i = 1; i < partitions.size(); ++i) {
    if (partitions[i].begin <= partitions[i - 1].begin) return false;
  }
  return true;
}

bool names_buckets(const std::vector<KeptBalances::Bucket>& buckets, std::size_t partitions) {
  for (std::size_t i = 1; i < buckets.size(); ++i) {
    if (buckets[i].number <= buckets[i - 1].number) return false;
  }
  return buckets.empty() || buckets.back().number < capacity::bucket_count(partitions);
}

}  // namespace

std::string encode_throughput(const StoredThroughput& throughput) {
  std::string value;
  ByteWriter out(value);
  const KeptThroughput& kept = throughput.kept;
  out.u8(throughput.throttling ? static_cast<std::uint8_t>(*throughput.throttling) + 1 : 0);
  out.u8(kept.mode == BillingMode::PayPerRequest ? 1 : 0);
  out.u8(kept.was_warmed ? 1 : 0);
  put(out, kept.warm);
  for (const std::int64_t peak_milli : kept.peaks_milli) put(out, peak_milli);
  put(out, kept.partitions);
  put(out, kept.splits);
  put(out, kept.splits_due);
  put(out, kept.growths_due);
  put(out, kept.on_demand_switches);
  put(out, kept.warming ? std::vector{*kept.warming} : std::vector<Warming>());
  if (!kept.balances) return value;
  put(out, kept.balances->as_of);
  put(out, kept.balances->lacking);
  return value;
}

Result<StoredThroughput> decode_throughput(std::string_view bytes) {
  ThroughputReader in(bytes);
  StoredThroughput throughput;
  KeptThroughput& kept = throughput.kept;
  const std::uint8_t throttling = in.get_u8(static_cast<std::uint8_t>(Throttling::Enforce) + 1);
  if (throttling > 0) throughput.throttling = static_cast<Throttling>(throttling - 1);
  kept.mode = in.get_u8(1) == 1 ? BillingMode::PayPerRequest : BillingMode::Provisioned;
  kept.was_warmed = in.get_u8(1) == 1;
  in.get(kept.warm);
  for (std::int64_t& peak_milli : kept.peaks_milli) in.get(peak_milli);
  in.get(kept.partitions);
  in.get(kept.splits);
  in.get(kept.splits_due);
  in.get(kept.growths_due);
  in.get(kept.on_demand_switches);
  std::vector<Warming> warming;
  in.get(warming);
  KeptBalances balances;
  const bool has_balances = !in.at_end();
  if (has_balances) {
    in.get(balances.as_of);
    in.get(balances.lacking);
  }
  STATOR_CHECK(in.finish());
  if (!covers_all_places(kept.partitions) || warming.size() > 1 ||
      !names_buckets(balances.lacking, kept.partitions.size()))
    return ThroughputReader::unsound();
  if (has_balances) kept.balances = std::move(balances);
  if (!warming.empty()) kept.warming = warming.front();
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
