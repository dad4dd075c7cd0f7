#include "server/data/import_command.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "server/data/formats/item_of.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/item_writer.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/progress.h"
#include "server/data/transfer/table_info.h"
#include "server/log/say.h"
#include "server/options/server_address.h"

namespace stator::data {

namespace {

// Limit of listed columns that look like numbers.
constexpr std::size_t kColumnsTold = 20;

// The file for rejected records, created with the first of them.
class Rejects {
 public:
  explicit Rejects(std::string path) : path_{std::move(path)} {}

  void add(const std::string& head, const std::string& raw) {
    if (!file_.is_open()) {
      file_.open(path_, std::ios::binary | std::ios::trunc);
      if (!head.empty()) file_ << head << '\n';
    }
    file_ << raw << '\n' << std::flush;
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

// Converts a record to an entry with its key, or says why it is invalid.
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
    // With lengths, so that different keys have different texts.
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

  // Returns the number of items written; empty, after an error line, if not all were.
  std::optional<std::uint64_t> run() {
    if (options_.keeps_going && !can_reject()) return std::nullopt;
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

  // Reports the result.
  void tell(std::uint64_t count) {
    const std::string pace = progress_.pace(count);
    progress_.clear();
    say(counted(count, "item") + " written to " + options_.table + " " + pace);
  }

  void tell_number_like() {
    if (number_like_.empty()) return;
    std::string names;
    std::string types;
    std::size_t count = 0;
    for (const std::string& name : number_like_) {
      if (count++ == kColumnsTold) break;
      names.append(count > 1 ? ", " : "").append(name);
      types.append(count > 1 ? "," : "").append(name).append(":N");
    }
    progress_.say("columns that look like numbers were imported as strings: " + names +
                  (count > kColumnsTold ? " and others" : "") + " (--types " + types + ")");
  }

  int told_rejects() {
    if (rejects_.count() == 0) return 0;
    complain(counted(rejects_.count(), "invalid record") + " in " + rejects_.path());
    return 1;
  }

 private:
  void complain(const std::string& line) { progress_.say("stator: " + line); }

  // Fails if the file of rejects, which is overwritten, is one of the files to import.
  bool can_reject() {
    for (const std::string& path : options_.files) {
      std::error_code ignored;
      if (!std::filesystem::equivalent(path, options_.rejects, ignored)) continue;
      complain(options_.rejects +
               " is one of the files to import, and invalid records go to it; "
               "--rejects names another");
      return false;
    }
    return true;
  }

  bool find_table() {
    DynamodbClient client{options_.endpoint};
    auto found = describe_table(client, options_.table);
    const bool is_missing = !found && found.error().code == kNoTable;
    const std::string where =
        "table '" + options_.table + "' at " + address_text(options_.endpoint.server);
    if (is_missing && options_.key.empty()) {
      complain("there is no " + where + "; --key NAME:S or NAME:S,NAME:N makes it");
      return false;
    }
    if (is_missing) return make_table(client, where);
    if (!found) return complain(found.error().text()), false;
    use(*std::move(found));
    return true;
  }

  void use(TableInfo table) {
    table_ = std::move(table);
    options_.reading.types = table_.types;
    options_.reading.keys = table_.keys;
    options_.reading.table = options_.table;
  }

  // Creates the table only once the first item is readable: otherwise a table with a misspelt key
  // would remain.
  bool make_table(DynamodbClient& client, const std::string& where) {
    use(*info_of_key(options_.key));
    if (!are_readable() || !begin_first()) return false;
    const auto made = client.call("CreateTable", create_body(options_.table, table_));
    if (!made) return complain(where + " cannot be made: " + made.error().text()), false;
    is_made_ = true;
    const auto active = wait_active(client, options_.table, active_patience(client));
    if (active) return true;
    complain(where + ": " + active.error().text() + stays_text());
    return false;
  }

  // Checks access only: opening a pipe twice would lose its content.
  bool are_readable() {
    for (const std::string& path : options_.files) {
      if (path == "-" || access(path.c_str(), R_OK) == 0) continue;
      complain(path + ": " + std::strerror(errno));
      return false;
    }
    return true;
  }

  bool begin_first() {
    auto reader = open_records(options_.files.front(), options_.reading);
    if (!reader) return complain(reader.error()), false;
    first_reader_ = *std::move(reader);
    has_first_ = first_reader_->next(first_);
    const std::string error = first_reader_->error();
    if (!has_first_ && !error.empty()) return complain(error), false;
    tell_format(options_.files.front(), *first_reader_);
    if (!has_first_ || options_.keeps_going) return true;
    Arena arena;
    const auto entry =
        first_.problem.empty() ? entry_of(first_, table_, arena) : tl::unexpected(first_.problem);
    return entry || refuse(origin_of(*first_reader_, first_), first_.raw, entry.error());
  }

  // Once the first record is read: before, it is not known of JSON whether it has types.
  void tell_format(const std::string& path, const RecordReader& reader) {
    if (!options_.tells_formats) return;
    progress_.say((path == "-" ? "stdin" : path) + " is read as " + reader.format_text());
  }

  static std::string origin_of(const RecordReader& reader, const Record& record) {
    return reader.path() + " line " + std::to_string(record.line);
  }

  // Returns false if the import must stop.
  bool read_file(const std::string& path, ItemWriter& writer) {
    std::unique_ptr<RecordReader> reader = std::move(first_reader_);
    bool has_record = std::exchange(has_first_, false);
    Record& record = first_;
    if (reader == nullptr) {
      auto opened = open_records(path, options_.reading);
      if (!opened) return complain(opened.error()), false;
      reader = *std::move(opened);
      has_record = reader->next(record);
      if (has_record || reader->error().empty()) tell_format(path, *reader);
    }
    {
      const std::lock_guard lock(mutex_);
      head_ = reader->head();
    }
    Arena arena;
    while (!is_interrupted() && (std::exchange(has_record, false) || reader->next(record))) {
      arena.reset();
      const std::string origin = origin_of(*reader, record);
      auto entry =
          record.problem.empty() ? entry_of(record, table_, arena) : tl::unexpected(record.problem);
      if (!entry) {
        if (!refuse(origin, record.raw, entry.error())) return false;
        continue;
      }
      entry->origin = origin;
      entry->raw = record.raw;
      if (!writer.add(*std::move(entry))) return false;
      progress_.show(writer.written(), reader->bytes_read(), reader->bytes_total());
    }
    if (is_interrupted()) return false;
    for (std::string& name : reader->number_like()) number_like_.insert(std::move(name));
    const std::string error = reader->error();
    if (!error.empty()) complain(error);
    return error.empty();
  }

  // Reports an invalid record. Returns whether to continue. The reading thread and the writing ones
  // call this.
  bool refuse(const std::string& origin, const std::string& raw, const std::string& why) {
    const std::lock_guard lock(mutex_);
    complain(origin + ": " + why);
    if (!options_.keeps_going) return false;
    rejects_.add(head_, raw);
    if (rejects_.is_good()) return true;
    complain(rejects_.path() + " cannot be written");
    return false;
  }

  std::string stays_text() const {
    return is_made_ ? "; table '" + options_.table + "' was made by this command and stays" : "";
  }

  // Removes the table again if this command created it and wrote nothing.
  std::string made_text(const ItemWriter& writer) const {
    if (!is_made_ || writer.written() != 0) return stays_text();
    DynamodbClient client{options_.endpoint, /*was_answered=*/true};
    // A batch without a response may have been written.
    std::string body = table_body(options_.table);
    body.replace(body.size() - 1, 1, ",\"ConsistentRead\":true,\"Limit\":1}");
    const auto page = client.call("Scan", body);
    const bool is_empty = page && number_text_in(*page, "Count") == "0";
    if (!is_empty || !remove_table(client, options_.table)) return stays_text();
    return "; table '" + options_.table + "', which this command made, is removed again";
  }

  std::optional<std::uint64_t> outcome(const ItemWriter& writer, bool is_whole) {
    if (!writer.failure().empty()) complain(writer.failure());
    if (is_whole) return writer.written();
    complain(std::string(is_interrupted() ? "interrupted: " : "stopped: ") +
             counted(writer.written(), "item") + " written to " + options_.table +
             ", the rest is not" + made_text(writer));
    return std::nullopt;
  }

  ImportOptions options_;
  Progress progress_;
  Rate rate_;
  TableInfo table_;
  bool is_made_ = false;
  // Reader of the first file, if find_table() opened it to look for an item.
  std::unique_ptr<RecordReader> first_reader_;
  Record first_;  // later the current record
  bool has_first_ = false;
  std::set<std::string> number_like_;
  std::mutex mutex_;
  std::string head_;  // guarded by mutex_
  Rejects rejects_;   // guarded by mutex_
};

}  // namespace

bool import_files(ImportOptions options) { return Import(std::move(options)).run().has_value(); }

int run_import(ImportOptions options) {
  watch_interrupts();
  options.tells_formats = true;
  Import import{std::move(options)};
  const auto count = import.run();
  if (!count) return 1;
  import.tell(*count);
  const int status = import.told_rejects();
  import.tell_number_like();
  return status;
}

}  // namespace stator::data
