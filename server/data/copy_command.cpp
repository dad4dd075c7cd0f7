#include "server/data/copy_command.h"

#include <atomic>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "protocol/json/json_writer.h"
#include "server/data/copy_state.h"
#include "server/data/formats/item_of.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/item_writer.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/progress.h"
#include "server/data/transfer/rate.h"
#include "server/data/transfer/table_info.h"
#include "server/data/transfer/table_scan.h"
#include "server/data/transfer/table_schema.h"
#include "server/log/say.h"
#include "server/options/server_address.h"

namespace stator::data {

namespace {

using Done = tl::expected<void, Failure>;

Done failed(std::string why) { return tl::unexpected(Failure{"", std::move(why)}); }

std::string place_text(const Endpoint& endpoint) {
  return address_text(endpoint.server) + " (" + endpoint.region + ")";
}

// The copy of one table.
class TableCopy {
 public:
  // `text` is the table's name, or with the name of the copy: "Orders:OrdersCopy".
  TableCopy(const CopyOptions& options, const std::string& text, CopyState& state, Rate& rate)
      : options_{options}, table_{text}, names_{names_of(text)}, state_{state}, rate_{rate} {}

  Done run(DynamodbClient& from, DynamodbClient& to) {
    const auto schema =
        read_schema(from, names_.source, names_.target == names_.source ? "" : names_.target);
    if (!schema) return tl::unexpected(schema.error());
    const auto info = describe_table(from, names_.source);
    if (!info) return tl::unexpected(info.error());
    keys_ = info->keys;
    if (Done made = prepare(to, *schema); !made) return made;
    if (!options_.is_schema_only) {
      if (Done items = copy_items(*info); !items) return items;
    }
    // Last, so that no item expires during the copy.
    if (Done ttl = enable_ttl(to, names_.target, schema->ttl_attribute); !ttl) return ttl;
    if (std::string problem = state_.finish(table_); !problem.empty()) return failed(problem);
    tell();
    return {};
  }

  std::uint64_t count() const { return count_; }

 private:
  // Called after `last` and all before it, `items` of the page, are written. Returns an error;
  // empty if none.
  using Note = std::function<std::string(const JsonNode& last, std::size_t items)>;

  Done copy_items(const TableInfo& info) {
    const TablePlace place = *state_.find(table_);
    const auto segments = static_cast<unsigned>(place.ended.size());
    before_ = place.items;
    progress_.begin_at(before_);
    return in_parallel(options_.from, segments,
                       [&](DynamodbClient& source, unsigned number, const auto& is_over) {
                         if (place.ended[number]) return Done{};
                         return copy_segment(source, {number, segments, place.start_keys[number]},
                                             info.item_count, is_over);
                       });
  }

  // Creates the table at the target, and its place in the state, unless an earlier run did.
  Done prepare(DynamodbClient& to, const TableSchema& schema) {
    const bool is_begun = state_.find(table_) != nullptr;
    const auto there = to.call("DescribeTable", table_body(names_.target));
    const bool is_missing = !there && there.error().code == kNoTable;
    if (!there && !is_missing) return tl::unexpected(there.error());
    if (!is_missing && !is_begun && !options_.is_merging) {
      return failed("it is there already at " + address_text(options_.to.server) +
                    "; --merge puts the items into it");
    }
    if (is_begun && !is_missing) return {};
    // The state comes first, so that a later run knows that this command created the table.
    if (std::string problem = state_.begin(table_, options_.segments); !problem.empty())
      return failed(problem);
    return is_missing ? make_table(to, names_.target, schema) : Done{};
  }

  Done copy_segment(DynamodbClient& source, Segment segment, std::uint64_t total,
                    const std::function<bool()>& is_over) {
    DynamodbClient target{options_.to, /*was_answered=*/true};
    const unsigned number = segment.number;
    const auto take = [&, number](const JsonNode& nodes, const std::string& next_key) -> Done {
      if (is_over()) return failed("stopped");
      const auto note = [&](const JsonNode& last, std::size_t items) {
        return state_.reached(table_, number, key_text(last), items);
      };
      if (Done written = write_page(target, nodes, total, is_over, note); !written) return written;
      std::string problem = state_.reached(table_, number, next_key, nodes.elements().size());
      return problem.empty() ? Done{} : failed(std::move(problem));
    };
    return scan_segment(source, names_.source, std::move(segment), take);
  }

  // The ExclusiveStartKey after this item.
  std::string key_text(const JsonNode& item) const {
    std::string text;
    for (const std::string& name : keys_) {
      const JsonNode* const value = item.find(name);
      if (value == nullptr) continue;
      text += text.empty() ? '{' : ',';
      append_json_string(text, name);
      text += ':';
      append_node_json(text, *value);
    }
    return text + '}';
  }

  // Writes a page in batches. A page may take a slow target minutes, so the copy may be interrupted
  // between two batches. Then it stores the last item written.
  Done write_page(DynamodbClient& target, const JsonNode& nodes, std::uint64_t total,
                  const std::function<bool()>& is_over, const Note& note) {
    const std::span<const JsonNode> items = nodes.elements();
    std::vector<Entry> batch;
    std::size_t bytes = 0;
    const auto flush = [&]() -> Done {
      if (batch.empty()) return {};
      rate_.pass(batch.size());
      if (auto failure = write_batch(target, names_.target, batch)) return tl::unexpected(*failure);
      count_ += batch.size();
      progress_.show(before_ + count_, before_ + count_, total);
      batch.clear();
      bytes = 0;
      return {};
    };
    for (std::size_t i = 0; i < items.size(); ++i) {
      Arena arena;
      const auto item = item_of(items[i], arena);
      if (!item) return failed("an item that was read: " + item.error());
      Entry entry;
      append_item_json(entry.json, *item);
      const bool is_full =
          batch.size() == kBatchEntriesMax || bytes + entry.json.size() > kBatchBytesMax;
      if (is_full) {
        if (Done done = flush(); !done) return done;
        if (is_interrupted() || is_over()) {
          std::string problem = note(items[i - 1], i);
          return failed(problem.empty() ? "interrupted" : std::move(problem));
        }
      }
      bytes += entry.json.size();
      batch.push_back(std::move(entry));
    }
    return flush();
  }

  void tell() {
    if (options_.is_schema_only) return say(table_ + ": without its items");
    const std::string pace = progress_.pace(count_);
    progress_.clear();
    say(table_ + ": " + counted(count_, "item") + " " + pace);
  }

  const CopyOptions& options_;
  const std::string table_;  // as the user named it; also its key in the state file
  const CopyNames names_;
  CopyState& state_;
  Rate& rate_;
  Progress progress_{table_};
  std::vector<std::string> keys_;  // names
  std::uint64_t before_ = 0;       // came over in earlier runs
  std::atomic<std::uint64_t> count_{0};
};

// Some endpoints, such as DynamoDB Local, have tables per access key; another key may have some.
std::string no_tables_text(const Endpoint& from) {
  return "no tables at " + address_text(from.server) + " for Region " + from.region +
         " and access key " + from.credentials.access_key +
         "; --from-region and AWS_ACCESS_KEY_ID name others";
}

}  // namespace

CopyNames names_of(const std::string& text) {
  const std::size_t colon = text.starts_with("arn:") ? std::string::npos : text.find(':');
  if (colon == std::string::npos) return {text, text};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

int run_copy(const CopyOptions& options) {
  watch_interrupts();
  auto state = CopyState::open(options.state, place_text(options.from), place_text(options.to));
  if (!state) return fail(state.error());
  DynamodbClient from{options.from};
  DynamodbClient to{options.to};
  std::vector<std::string> tables = options.tables;
  if (tables.empty()) {
    auto all = list_tables(from);
    if (!all) return fail(all.error().text());
    tables = *std::move(all);
  }
  if (tables.empty()) say(no_tables_text(options.from));
  if (state->was_there()) complain("continues the copy recorded in " + state->path());
  Rate rate{options.items_per_s};
  for (const std::string& table : tables) {
    const TablePlace* const place = state->find(table);
    if (place != nullptr && place->is_done) continue;
    TableCopy copy{options, table, *state, rate};
    const auto done = copy.run(from, to);
    if (done) continue;
    const bool is_begun = state->find(table) != nullptr;
    complain("table " + table + ": " + done.error().text());
    if (is_begun) {
      complain("it is incomplete at " + address_text(options.to.server) + ": " +
               counted(copy.count(), "item") +
               " copied in this run; the same command continues from there (" + options.state +
               ")");
    }
    return 1;
  }
  state->remove();
  return 0;
}

}  // namespace stator::data
