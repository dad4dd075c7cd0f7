#include "server/data/import_command.h"

#include <cstdio>
#include <fstream>
#include <optional>
#include <utility>

#include "server/data/interrupt.h"
#include "server/data/item_of.h"
#include "server/data/item_writer.h"
#include "server/data/progress.h"
#include "server/data/table_info.h"

namespace stator::data {

namespace {

// The file that refused records go to, made with the first.
class Rejects {
 public:
  explicit Rejects(std::string path) : path_{std::move(path)} {}

  void add(const std::string& head, const std::string& raw) {
    if (!file_.is_open()) {
      file_.open(path_, std::ios::binary | std::ios::trunc);
      if (!head.empty()) file_ << head << '\n';
    }
    file_ << raw << '\n';
    ++count_;
  }

  std::uint64_t count() const { return count_; }
  bool is_good() const { return file_.good(); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  std::ofstream file_;
  std::uint64_t count_ = 0;
};

// An item's attributes as the table's keys see them, or why it is no item.
tl::expected<Entry, std::string> entry_of(const Record& record, const TableInfo& table,
                                          Arena& arena) {
  const auto item = item_of(record.item, arena);
  if (!item) return tl::unexpected(item.error());
  Entry entry;
  for (const std::string& name : table.keys) {
    const Value* const value = find_attribute(*item, name);
    if (value == nullptr) return tl::unexpected("the key attribute '" + name + "' is missing");
    const std::string_view type = type_name(value->type());
    const auto wanted = table.types.find(name);
    if (wanted == table.types.end() || wanted->second != type) {
      return tl::unexpected("the key attribute '" + name + "' is of type " + std::string(type) +
                            ", the table's is " +
                            (wanted == table.types.end() ? "unknown" : wanted->second));
    }
    // No two pairs of keys give the same text.
    entry.key += std::to_string(value->bytes().size()) + ":";
    entry.key += value->bytes();
  }
  append_item_json(entry.json, *item);
  entry.is_delete = record.is_delete;
  return entry;
}

class Import {
 public:
  explicit Import(ImportOptions options)
      : options_{std::move(options)},
        progress_{options_.table},
        rate_{options_.items_per_s},
        rejects_{options_.rejects} {}

  // Empty: not all was written, and why is told.
  std::optional<std::uint64_t> run() {
    if (!find_table()) return std::nullopt;
    ItemWriter writer{options_.endpoint, options_.table, options_.connections, rate_,
                      [this](const Entry& entry, const std::string& why) {
                        return refuse(entry.origin, entry.raw, why);
                      }};
    bool is_whole = true;
    for (const std::string& path : options_.files) {
      is_whole = read_file(path, writer);
      if (!is_whole) break;
    }
    const bool is_written = writer.finish();
    return outcome(writer, is_whole && is_written);
  }

  // The line for who asked.
  void tell(std::uint64_t count) {
    const std::string pace = progress_.pace(count);
    progress_.clear();
    std::printf("%s written to %s %s\n", counted(count, "item").c_str(), options_.table.c_str(),
                pace.c_str());
  }

  int told_rejects() {
    if (rejects_.count() == 0) return 0;
    complain(counted(rejects_.count(), "wrong record") + " in " + rejects_.path());
    return 1;
  }

 private:
  void complain(const std::string& line) { progress_.say("stator: " + line); }

  bool find_table() {
    DynamodbClient client{options_.endpoint};
    auto found = describe_table(client, options_.table);
    const bool is_missing = !found && found.error().code == kNoTable;
    const std::string where =
        "table '" + options_.table + "' at " + address_text(options_.endpoint.server);
    if (is_missing && !options_.key.empty()) {
      const auto made = client.call("CreateTable", create_body(options_.table, options_.key));
      if (!made) return complain(where + " cannot be made: " + made.error().text()), false;
      is_made_ = true;
      const auto active = wait_active(client, options_.table, active_patience(client));
      if (!active) return complain(where + ": " + active.error().text() + made_text()), false;
      found = describe_table(client, options_.table);
    }
    if (is_missing && options_.key.empty()) {
      complain("there is no " + where + "; --key NAME:S or NAME:S,NAME:N makes it");
      return false;
    }
    if (!found) return complain(found.error().text()), false;
    table_ = *std::move(found);
    options_.reading.types = table_.types;
    return true;
  }

  // False: it is over.
  bool read_file(const std::string& path, ItemWriter& writer) {
    auto reader = open_records(path, options_.reading);
    if (!reader) return complain(reader.error()), false;
    {
      const std::lock_guard lock(mutex_);
      head_ = (*reader)->head();
    }
    Record record;
    Arena arena;
    while (!is_interrupted() && (*reader)->next(record)) {
      arena.reset();
      const std::string origin = (*reader)->path() + " line " + std::to_string(record.line);
      auto entry =
          record.problem.empty() ? entry_of(record, table_, arena) : tl::unexpected(record.problem);
      if (!entry) {
        if (!refuse(origin, record.raw, entry.error())) return false;
        continue;
      }
      entry->origin = origin;
      entry->raw = record.raw;
      if (!writer.add(*std::move(entry))) return false;
      progress_.show(writer.written(), (*reader)->bytes_read(), (*reader)->bytes_total());
    }
    if (is_interrupted()) return false;
    const std::string error = (*reader)->error();
    if (!error.empty()) complain(error);
    return error.empty();
  }

  // Whether to go on. By the reading thread and those that write.
  bool refuse(const std::string& origin, const std::string& raw, const std::string& why) {
    const std::lock_guard lock(mutex_);
    complain(origin + ": " + why);
    if (!options_.keeps_going) return false;
    rejects_.add(head_, raw);
    if (rejects_.is_good()) return true;
    complain(rejects_.path() + " cannot be written");
    return false;
  }

  std::string made_text() const {
    return is_made_ ? "; table '" + options_.table + "' was made by this command and stays" : "";
  }

  std::optional<std::uint64_t> outcome(const ItemWriter& writer, bool is_whole) {
    if (!writer.failure().empty()) complain(writer.failure());
    if (is_whole) return writer.written();
    complain(std::string(is_interrupted() ? "interrupted: " : "stopped: ") +
             counted(writer.written(), "item") + " written to " + options_.table +
             ", what follows is not" + made_text());
    return std::nullopt;
  }

  ImportOptions options_;
  Progress progress_;
  Rate rate_;
  TableInfo table_;
  bool is_made_ = false;
  std::mutex mutex_;
  std::string head_;  // guarded by mutex_
  Rejects rejects_;   // guarded by mutex_
};

}  // namespace

bool import_files(ImportOptions options) { return Import(std::move(options)).run().has_value(); }

int run_import(ImportOptions options) {
  watch_interrupts();
  Import import{std::move(options)};
  const auto count = import.run();
  if (!count) return 1;
  import.tell(*count);
  return import.told_rejects();
}

}  // namespace stator::data
