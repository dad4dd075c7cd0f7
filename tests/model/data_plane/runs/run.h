// Run: one engine and one model of its tables, driven side by side by random requests. Every answer
// must be the one the model expects; the first that is not ends the run with a Difference.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/data_plane/oracle/dice.h"
#include "tests/model/data_plane/oracle/json.h"
#include "tests/model/data_plane/oracle/semantics.h"
#include "tests/model/data_plane/oracle/table_model.h"
#include "tests/model/data_plane/requests/generator.h"
#include "tests/model/data_plane/requests/printing.h"
#include "tests/unit/engine/harness/engine_driver.h"

namespace stator::model {

class Difference : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A table of the engine and its model.
struct LiveTable {
  explicit LiveTable(TableSchema schema) : model(std::move(schema)) {}

  TableModel model;
  std::map<std::string, std::string> tags;
  std::string expiring_by;  // the attribute of its time to live; empty: none
  // For the table ("") and each global index: pairs of partitions, the first of which a scan met
  // before the second.
  std::map<std::string, std::set<std::pair<std::string, std::string>>> scan_order;
  // In which quarter of the hash space a partition lies, as scans in four segments told.
  std::map<std::string, std::map<std::string, std::size_t>> quarters;
};

// An action of a transaction as it is asked for; what it does depends on when it is sent.
struct TransactAction {
  enum class Kind { Put, Update, Delete, Check };
  Kind kind = Kind::Put;
  std::string table_name;
  Item item;  // Put
  Item key;
  std::set<std::string> misfits;  // what is wrong with its keys, whatever is stored
  // What refuses the whole request: before any table is looked at, or once its own is found; empty:
  // nothing.
  std::string refusal;
  std::string empty_key;
  std::optional<Condition> condition;
  Update update;
  bool returns_old_on_failure = false;
  bool is_insert = false;  // a Put by INSERT: of one that is there there is a reason of its own
  Json json;               // the element of TransactItems or TransactStatements
};

// What becomes of an action by the state of its table.
struct TransactOutcome {
  bool is_met = true;
  std::set<std::string> errors;  // one of them is told; empty: none
  bool is_too_large = false;     // to be kept by the model
  bool is_change = true;
  std::optional<Item> after;
  const Item* before = nullptr;
};

// Why one action of a transaction is refused; without a code it is not.
struct Reason {
  std::string code = {};
  std::set<std::string> messages = {};  // one of them
  const Item* item = nullptr;
};

struct TransactRead {
  LiveTable* table = nullptr;
  Item key;
  std::vector<Path> paths;  // none: all
};

// TransactWriteItems, or ExecuteTransaction of statements that write.
struct Transaction {
  std::string operation;
  std::vector<TransactAction> actions;
  std::string token = {};
};

// As the member of a request has them.
Json actions_json(const std::vector<TransactAction>& actions);

// What the service must remember of a transaction that had its effect.
struct KeptTransaction {
  Transaction sent;
  Timestamp finished;
  std::uint64_t index_changes = 0;     // that there had been
  std::map<std::string, Units> reads;  // by table: what a repetition is told to cost
};

// What the model knew when a mark was set.
struct RememberedState {
  std::string name;
  std::vector<LiveTable> tables;
  std::vector<KeptTransaction> kept;
  std::uint64_t index_changes = 0;
};

class Run {
 public:
  // Without a folder in memory.
  Run(std::uint64_t seed, std::optional<std::filesystem::path> folder);

  // One random operation, which may be several requests (pages).
  void step();
  // Compares the statistics of every table, so that a write gone wrong is noticed at its step.
  void check();
  // Compares everything that is stored.
  void finish();

  // What was done, by name.
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  // The parameters that decide what an answer to a write shows.
  struct WriteOptions {
    std::string capacity;  // "", "TOTAL", "INDEXES"
    std::string return_values;
    bool returns_old_on_failure = false;
    bool wants_collection_metrics = false;
  };
  // A Query or Scan: what is asked, and what each evaluated item gives.
  struct Read {
    LiveTable* table = nullptr;
    const IndexSchema* index = nullptr;
    bool is_query = false;
    Json request;
    std::string capacity;
    bool is_consistent = false;
    bool is_count = false;
    bool fetches = false;      // a local index's items come from the table
    bool is_one_item = false;  // at most one item can be met: there is nothing to continue
    std::size_t limit = 0;     // 0: none
    // Of the service's partitions, which a scan pays one by one: the one that each item of the
    // sequence lies in, and those where the range begins and ends.
    std::vector<std::size_t> places;
    std::size_t first_place = 0;
    std::size_t last_place = 0;
    std::function<bool(const Item& stored)> keeps;
    // What the filter names, in the order of its text.
    std::vector<std::string> filtered;
    std::function<Item(const Item& stored)> shape;

    std::string_view operation() const { return is_query ? "Query" : "Scan"; }
  };
  // Keys of the table's items, in the order of a read.
  using Sequence = std::vector<KeyValues>;
  struct Page {
    std::size_t evaluated = 0;
    std::optional<Json> last_key;
  };

  // --- requests (run.cpp)
  test::Answer send(std::string_view operation, const Json& request);
  Json call(std::string_view operation, const Json& request);
  void expect(std::string_view operation, const Json& request, const Json& expected);
  void expect_validation(std::string_view operation, const Json& request,
                         const std::set<std::string>& messages);
  void compare(std::string_view operation, const Json& request, const Json& expected,
               const Json& actual) const;
  [[noreturn]] void differ(std::string_view operation, const Json& request,
                           const std::string& expected, const std::string& actual) const;
  void count(std::string_view what) { ++counts_[std::string(what)]; }

  // --- tables and everything (run.cpp)
  LiveTable& any_table() { return *tables_[dice_.below(tables_.size())]; }
  std::unique_ptr<LiveTable> create_table();
  void replace_table();
  void change_indexes();
  void finish_backfill(LiveTable& table);
  void describe(LiveTable& table);
  void verify(LiveTable& table);
  void restart();
  void invalid();

  // --- writes (run_writes.cpp)
  void put();
  void update();
  void remove();
  void batch_write();
  void quiet_delete(LiveTable& table, const KeyValues& key);
  void quiet_write(LiveTable& table);
  bool has_small_collections() const {
    return settings_.item_collection_bytes_max < Settings{}.item_collection_bytes_max;
  }
  bool overfills(const LiveTable& table, const KeyValues& key, const Item* after) const;
  void expect_overfull(std::string_view operation, const Json& request);
  Item near_key(LiveTable& table);
  WriteOptions write_options(Json& request, bool is_update);
  std::optional<bool> condition(LiveTable& table, const Item* stored, bool is_legacy,
                                ExpressionPrinter& printer, Json& request);
  bool refused(std::string_view operation, const Json& request, const WriteOptions& options,
               std::optional<bool> is_met, const Item* stored);
  void overcharge(LiveTable& table, Update update, const Item& key, const Item* stored);
  std::set<std::string> told_index_key_errors(const TableSchema& schema,
                                              const Update& update) const;
  std::set<std::string> index_key_errors(const TableSchema& schema, const Update& update,
                                         const Item& item) const;
  Json write_answer(LiveTable& table, const WriteOptions& options, const Item& key,
                    const Units& units, const Item& shown) const;
  Json collection_metrics(const LiveTable& table, const Value& partition) const;
  // As they are printed.
  using CollectionsByTable = std::map<std::string, std::set<std::string>>;
  void take_collections(std::string_view operation, const Json& request,
                        const CollectionsByTable& wanted, Json& actual) const;

  // --- transactions (run_transactions.cpp)
  void transact_write();
  void repeat(std::size_t kept);
  void pass_time();
  void send_transaction(const Transaction& sent);
  bool refused_whole(const Transaction& sent, const Json& request, std::vector<Reason>& reasons);
  bool misses_tables(const Transaction& sent, const Json& request);
  bool repeated(const Transaction& sent, const Json& request, const std::string& capacity);
  std::vector<Reason> reasons_against(const std::vector<TransactAction>& actions,
                                      std::vector<TransactOutcome>& outcomes);
  TransactOutcome outcome_of(const TransactAction& action);
  void enter(const Transaction& sent, const std::vector<TransactOutcome>& outcomes,
             const Json& request, const std::string& capacity);
  void expect_cancelled(std::string_view operation, const Json& request,
                        const std::vector<Reason>& reasons);
  void expect_error(std::string_view operation, const Json& request, const std::string& type,
                    const std::string& message);
  LiveTable* table_named(const std::string& name);

  // --- what they ask for (run_transaction_plans.cpp)
  std::vector<TransactAction> plan_actions();
  std::optional<TransactAction> plan_action(bool is_hopeful);
  void plan_put(const LiveTable& table, TransactAction& action);
  std::string choose_token(const std::string& operation);
  void forget_token(const std::string& token);

  // --- transactions at their limits (run_transaction_limits.cpp)
  void transact_at_limits();
  void transact_item_at_limit();
  void transact_payload_at_limit();
  void read_and_delete(const std::vector<TransactRead>& reads);
  std::optional<TransactAction> padded_action(LiveTable& table, bool is_beyond);
  void drop_large(const std::vector<TransactAction>& actions);

  // --- transactions of statements (run_statements.cpp)
  void execute_transaction();
  TransactAction plan_statement(LiveTable& table);
  Update plan_sets(const TableSchema& schema);
  Condition plan_test(const Item* stored);
  void execute_reads();

  // --- transactions in flight (run_in_flight.cpp)
  bool flies() const { return settings_.transaction_time.count() > 0; }
  Json fly(const Transaction& sent, const Json& request);
  void meet(const Transaction& flying);
  void meet_alone(const TransactAction& held);
  void meet_together(const Transaction& flying);

  // --- transactions that read (run_transact_get.cpp)
  void transact_get();
  void check_reads(const Json& request, const std::string& capacity,
                   const std::vector<TransactRead>& reads);

  // --- marks (run_marks.cpp)
  void move_marks();
  void set_mark();
  void forget_mark(std::size_t chosen);
  void roll_back(std::size_t chosen);
  void expect_mark(MarkOutcome end, const std::string& what) const;

  // --- tags, time to live (run_settings.cpp)
  void change_settings();
  void change_tags(LiveTable& table);
  void change_time_to_live(LiveTable& table);
  void verify_settings(LiveTable& table);
  void send_settings(std::string_view operation, const Json& request);
  Json of_resource(const LiveTable& table);

  // --- reads (run_reads.cpp)
  void get();
  void batch_get();
  void query();
  void scan();
  void scan_segments(Read& read, const Sequence& sequence);
  Read plan(bool is_query);
  std::string not_carried(const Read& read) const;
  void plan_filter(Read& read, bool is_legacy, ExpressionPrinter& printer, const Item* sample);
  void plan_select(Read& read, bool is_legacy, ExpressionPrinter& printer);
  Sequence learn(LiveTable& table, const IndexSchema* index, const Json& key_condition,
                 const KeyCondition* condition);
  void check_order(LiveTable& table, const IndexSchema* index, const Json& request,
                   const Sequence& sequence, bool is_query);
  void check_scan_order(LiveTable& table, const IndexSchema* index, const Json& request,
                        const std::vector<std::string>& partitions);
  void walk(Read& read, Sequence sequence, std::size_t start);
  Page page(Read& read, const Json& request, const Sequence& sequence, std::size_t start,
            bool is_all);
  void learn_places(Read& read, const Sequence& sequence);
  std::size_t page_bytes(const Read& read, const Sequence& sequence, std::size_t start,
                         std::size_t evaluated) const;
  Units page_units(const Read& read, const Sequence& sequence, std::size_t start,
                   std::size_t evaluated, bool begins, bool ends) const;
  Item seen(const Read& read, const KeyValues& key) const;
  std::string random_capacity(Json& request);

  Dice dice_;
  Generator generator_{dice_};
  Settings settings_;
  std::unique_ptr<test::EngineDriver> driver_;
  std::vector<std::unique_ptr<LiveTable>> tables_;
  std::uint64_t tables_made_ = 0;
  std::uint64_t indexes_made_ = 0;
  std::uint64_t index_changes_ = 0;
  std::uint64_t tokens_made_ = 0;
  std::vector<KeptTransaction> kept_;   // the newest last
  std::vector<RememberedState> marks_;  // the newest last
  std::uint64_t marks_made_ = 0;
  // By operation, of its last transaction that was cancelled: it is not burnt.
  std::map<std::string, std::string> burnt_tokens_;
  std::map<std::string, std::uint64_t> counts_;
  std::string last_write_;  // operation, request, answer: for a Difference
};

}  // namespace stator::model
