#include "engine/items/item_decision.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/indexes/expiry_entries.h"
#include "engine/indexes/fixed_list.h"
#include "engine/items/opened_names.h"
#include "engine/items/update_checks.h"
#include "engine/storage/records/encoded_source.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/partial_item.h"
#include "engine/throughput/throughput_state.h"
#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/updates/update.h"
#include "protocol/service/error_texts.h"
#include "protocol/service/limits.h"
#include "protocol/values/item_size.h"

namespace stator {
namespace {

// Makes one decision.
class Decider {
 public:
  Decider(const Table& table, const PrimaryKey& key, const WriteContext& context)
      : table_(table),
        context_(context),
        decision_{.table = &table, .key = key},
        charges_(1 + charges_max(table), context.arena) {}

  ~Decider() { context_.looking.reset(); }
  Decider(const Decider&) = delete;
  Decider& operator=(const Decider&) = delete;

  Result<Decision> decide(const WritePlan& plan) {
    STATOR_TRY(decision_.before, StoredItem::find(context_.snapshot, table_, decision_.key));
    STATOR_CHECK(std::visit([this](const auto& each) { return follow(each); }, plan));
    decision_.asked = charges_.elements();
    decision_.charges = decision_.asked;
    if (decision_.condition_failed) decision_.charges = decision_.asked.first(1);
    return decision_;
  }

 private:
  Result<void> follow(const PutPlan& plan) {
    if (!meets(plan.condition, plan.size_bytes)) return ask_for_entries(plan.item, plan.size_bytes);
    return change_to(plan.item, plan.size_bytes, item_too_large);
  }

  Result<void> follow(const DeletePlan& plan) {
    if (!meets(plan.condition, /*after_size_bytes=*/0)) return ask_for_entries(std::nullopt, 0);
    return change_to(std::nullopt, 0, item_too_large);
  }

  Result<void> follow(const CheckPlan& plan) {
    if (!meets(plan.condition, /*after_size_bytes=*/0)) return {};
    charge_table(decision_.before.size_bytes());
    return {};
  }

  Result<void> follow(const UpdatePlan& plan) {
    const expr::Update* const update = plan.update;
    const StoredItem& before = decision_.before;
    Arena& arena = context_.looking;
    if (before.exists()) open(update);
    // The update before the condition, because a failed condition costs what the changed item
    // would.
    const Item base = parted_ ? parted_->attributes() : plan.key;
    if (update != nullptr && plan.is_charged) STATOR_CHECK(check_update_charge(*update, base));
    Result<Item> applied =
        update != nullptr ? expr::apply_update(*update, base, before.exists(), arena) : base;
    const std::size_t after_size_bytes = applied ? size_bytes_with(*applied) : before.size_bytes();
    const bool exists_after = before.exists() || can_create(update);
    if (!meets(plan.condition, after_size_bytes)) {
      if (!applied || after_size_bytes > limits::kItemBytesMax) return {};
      return ask_for_entries(exists_after ? std::optional(*applied) : std::nullopt,
                             after_size_bytes);
    }
    STATOR_TRY(const Item after, std::move(applied));
    if (update != nullptr) {
      STATOR_CHECK(check_updated_index_keys(table_, *update, after));
      STATOR_CHECK(check_updated_size(after_size_bytes));
    }
    return change_to(exists_after ? std::optional(after) : std::nullopt, after_size_bytes,
                     expr::update_too_large);
  }

  void open(const expr::Update* update) {
    Arena& arena = context_.looking;
    const TouchedAttributes opened = opened_by(table_, update, arena);
    parted_.emplace(decision_.before.record(), opened.names, opened.paths, arena);
    decision_.kept_bytes = parted_->kept_bytes();
  }

  // Size of the item with these attributes in place of the decoded ones, if it exists.
  std::size_t size_bytes_with(Item attributes) const {
    const std::size_t size_bytes = item_size_bytes(attributes);
    if (!parted_) return size_bytes;
    return decision_.before.size_bytes() - item_size_bytes(parted_->attributes()) + size_bytes;
  }

  // A failed write costs what the larger of both items would; without a stored item, one unit.
  bool meets(const expr::Condition* condition, std::size_t after_size_bytes) {
    if (condition == nullptr) return true;
    const StoredItem& before = decision_.before;
    const storage::EncodedSource stored(before.exists() ? before.record() : std::string_view(),
                                        context_.looking);
    if (expr::matches(*condition, stored)) return true;
    decision_.condition_failed = true;
    charge_table(before.exists() ? std::max(before.size_bytes(), after_size_bytes) : 0);
    return false;
  }

  // `too_large` makes the error of an item that is too large together with its entries in local
  // indexes.
  Result<void> change_to(std::optional<Item> after, std::size_t after_size_bytes,
                         Error (*too_large)()) {
    const StoredItem& before = decision_.before;
    const std::size_t before_bytes = before.size_bytes();
    const std::size_t after_bytes = after ? after_size_bytes : 0;
    charge_table(std::max(before_bytes, after_bytes));
    decision_.is_change = true;
    if (after) decision_.record = encode(*after, after_bytes);
    decision_.difference = {
        (after ? 1 : 0) - (before.exists() ? 1 : 0),
        static_cast<std::int64_t>(after_bytes) - static_cast<std::int64_t>(before_bytes)};
    if (!table_.has_indexes()) return {};
    const IndexChanges changes = change_entries(after, after_bytes, decision_.record);
    decision_.local_entries = changes.local;
    decision_.global_entries = changes.global;
    if (table_.local_indexes.empty()) return {};
    if (after_bytes + changes.local_bytes_after > limits::kItemBytesMax) return too_large();
    return count_collection(decision_.difference.size_bytes + changes.local_bytes_difference);
  }

  // Determines the entries and adds their charges.
  IndexChanges change_entries(const std::optional<Item>& after, std::size_t after_bytes,
                              std::string_view record) {
    const StoredItem& before = decision_.before;
    std::optional<IndexedItem> old_item;
    if (before.exists()) {
      const Item attributes = parted_ ? parted_->attributes() : before.item(context_.looking);
      old_item = IndexedItem{attributes, before.size_bytes(), before.record()};
    }
    std::optional<IndexedItem> new_item;
    if (after) new_item = IndexedItem{*after, after_bytes, record};
    return index_changes(table_, decision_.key, old_item, new_item, context_.scratch,
                         context_.arena, charges_);
  }

  // After a failed condition, if global indexes could throttle the write. Unwritten entries cost
  // nothing, so none is made if all indexes would let it pass.
  Result<void> ask_for_entries(const std::optional<Item>& after, std::size_t after_bytes) {
    const auto may_refuse = [now = context_.snapshot.now()](const GlobalIndex& index) {
      return index.runtime->throughput->may_refuse(capacity::Dimension::Write, now);
    };
    const bool is_asked =
        table_.runtime->throttling.load(std::memory_order_relaxed) != Throttling::Off &&
        std::any_of(table_.global_indexes.begin(), table_.global_indexes.end(), may_refuse);
    if (is_asked) change_entries(after, after_bytes, after ? encode(*after, after_bytes) : "");
    return {};
  }

  // Encodes into scratch first, because the length is unknown, then copies it to where it stays
  // while further items of the request are encoded.
  std::string_view encode(Item item, std::size_t size_bytes) {
    const storage::Stamp written{context_.snapshot.now(), context_.origin};
    if (parted_)
      return parted_->joined(item, size_bytes, written, context_.scratch, context_.arena);
    context_.scratch.clear();
    storage::encode_item(item, size_bytes, written, context_.scratch);
    return context_.arena.copy(std::string_view(context_.scratch));
  }

  // Counts the size of the item collection and checks the limit for a growing one.
  Result<void> count_collection(std::int64_t difference_bytes) {
    const std::string_view partition = decision_.key.partition;
    STATOR_TRY(std::int64_t size_bytes, context_.snapshot.collection_size_bytes(table_, partition));
    if (context_.earlier != nullptr)
      size_bytes += context_.earlier->difference_bytes(table_, partition);
    size_bytes += difference_bytes;
    if (difference_bytes > 0 && size_bytes > context_.item_collection_bytes_max) {
      return Error(ErrorCode::ItemCollectionSizeLimitExceeded, std::string(kCollectionSizeText));
    }
    decision_.collection_difference_bytes = difference_bytes;
    decision_.collection_size_bytes = size_bytes;
    return {};
  }

  void charge_table(std::size_t size_bytes) {
    const std::int64_t units_milli = write_units_milli(size_bytes);
    charges_.push_back({.partition = decision_.key.partition,
                        .units_milli = context_.is_transactional ? 2 * units_milli : units_milli,
                        .sort = decision_.key.sort});
  }

  const Table& table_;
  const WriteContext& context_;
  Decision decision_;
  std::optional<storage::PartialItem> parted_;  // for an update: parts of the stored item
  FixedList<Charge> charges_;
};

// Decoding parts of an item and rebuilding it costs about as much as this many reads per byte.
constexpr std::size_t kStepsOfChangedByte = 8;

std::size_t operands_of(const expr::Condition* condition) {
  if (condition == nullptr) return 0;
  std::size_t count =
      condition->call != nullptr ? condition->call->operands.size() : condition->operands.size();
  for (const expr::Condition* child : condition->children) count += operands_of(child);
  return count;
}

}  // namespace

std::size_t steps_of(const WritePlan& plan, const Decision& decision) {
  const std::size_t looked_at = decision.before.exists() ? decision.before.record().size() : 0;
  const std::size_t looks =
      std::visit([](const auto& one) { return operands_of(one.condition); }, plan);
  const bool was_taken_apart =
      decision.is_change || decision.asked.size() > decision.charges.size();
  if (!was_taken_apart) return looked_at * looks;
  // Encoded parts are skipped at reading and copied at writing.
  const std::size_t skipped = decision.kept_bytes;
  const std::size_t copied = decision.record.empty() ? 0 : decision.kept_bytes;
  const std::size_t changed = looked_at - skipped + decision.record.size() - copied;
  return looked_at * looks + skipped + copied + changed * kStepsOfChangedByte;
}

void DecidedCollections::add(const Decision& decision) {
  if (decision.collection_difference_bytes == 0) return;
  for (Collection& collection : collections_) {
    if (collection.space != decision.table->space || collection.partition != decision.key.partition)
      continue;
    collection.difference_bytes += decision.collection_difference_bytes;
    return;
  }
  collections_.push_back(
      {decision.table->space, decision.key.partition, decision.collection_difference_bytes});
}

std::int64_t DecidedCollections::difference_bytes(const Table& table,
                                                  std::string_view partition) const {
  const auto found =
      std::find_if(collections_.begin(), collections_.end(), [&](const Collection& collection) {
        return collection.space == table.space && collection.partition == partition;
      });
  return found == collections_.end() ? 0 : found->difference_bytes;
}

Result<Decision> decide(const Table& table, const PrimaryKey& key, const WritePlan& plan,
                        const WriteContext& context) {
  return Decider(table, key, context).decide(plan);
}

void enter(const Decision& decision, Mutation& mutation) {
  assert(!decision.condition_failed);
  if (!decision.is_change) return;
  const Table& table = *decision.table;
  mutation.count(table.space, decision.difference);
  const auto before = record_before(decision);
  const auto after = record_after(decision);
  mutation.change_item(store_key_of(table, decision.key), before, after);
  if (const auto expiry = expiry_change(table, decision.key, before, after))
    mutation.change_expiry(*expiry);
  for (const EntryChange& change : decision.local_entries) mutation.apply_entry(change);
  for (const EntryChange& change : decision.global_entries) mutation.change_entry(change);
  mutation.count_collection(table.space, decision.key.partition,
                            decision.collection_difference_bytes);
}

}  // namespace stator
