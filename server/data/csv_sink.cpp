// Items as CSV. Which columns there are is known when all items were seen: until then they are kept
// in a file beside.

#include <unistd.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

#include "protocol/json_reader.h"
#include "server/data/input_file.h"
#include "server/data/item_of.h"
#include "server/data/item_sink.h"
#include "server/data/json_text.h"
#include "server/data/output_file.h"

namespace stator::data {

namespace {

constexpr std::size_t kColumnsMax = 10'000;
// What is written at once.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// As make_csv_reader() reads it.
void append_csv(std::string& out, std::string_view text, char delimiter) {
  const bool is_plain = !text.empty() && text.front() > ' ' && text.front() != '{' &&
                        text.front() != '[' &&
                        text.find_first_of("\"\r\n") == std::string_view::npos &&
                        text.find(delimiter) == std::string_view::npos;
  if (is_plain) {
    out += text;
    return;
  }
  out += '"';
  for (const char byte : text) {
    if (byte == '"') out += '"';
    out += byte;
  }
  out += '"';
}

class CsvSink final : public ItemSink {
 public:
  CsvSink(const SinkOptions& options, const TableInfo& table, OutputFile file, OutputFile spool)
      : options_{options},
        keys_{table.keys},
        spool_path_{spool_path(options)},
        file_{std::move(file)},
        spool_{std::move(spool)} {
    for (const std::string& key : keys_) column_of(key, table.types.find(key)->second);
  }
  ~CsvSink() override { std::remove(spool_path_.c_str()); }
  CsvSink(const CsvSink&) = delete;
  CsvSink& operator=(const CsvSink&) = delete;

  static std::string spool_path(const SinkOptions& options) {
    return (options.path == "-" ? "stator-export-" + std::to_string(getpid()) : options.path) +
           ".spool";
  }

  void add(unsigned /*segment*/, std::span<const Item> items) override {
    std::string text;
    for (const Item item : items) {
      append_item_json(text, item);
      text += '\n';
    }
    const std::lock_guard lock(mutex_);
    spool_.append(text);
    for (const Item item : items)
      for (const Member& member : item) column_of(member.name, type_name(member.value.type()));
  }

  std::string finish(std::string& /*notes*/) override {
    if (names_.size() > kColumnsMax)
      return options_.path + ": there are more than 10,000 columns of CSV";
    if (std::string problem = spool_.finish(); !problem.empty()) return problem;
    auto spool = InputFile::open(spool_path_);
    if (!spool) return spool.error();
    std::string text;
    for (const std::string& name : names_) {
      append_csv(text, name, options_.delimiter);
      text += &name == &names_.back() ? '\n' : options_.delimiter;
    }
    std::string line;
    for (bool is_too_long = false; spool->take_line(line, is_too_long); line.clear()) {
      Arena arena;
      const auto read = read_json(line, arena);
      const auto item = read ? item_of(*read, arena) : tl::unexpected(std::string());
      if (!item || is_too_long) return spool_path_ + " was changed meanwhile";
      append_row(text, *item);
      if (text.size() >= kPieceBytes) file_.append(std::exchange(text, {}));
    }
    if (!spool->error().empty()) return spool->error();
    file_.append(text);
    return file_.finish();
  }

 private:
  std::size_t column_of(std::string_view name, std::string_view type) {
    const std::string column = std::string(type) + ":" + std::string(name);
    const auto found = columns_.find(column);
    if (found != columns_.end()) return found->second;
    // Beyond the bound nothing more is remembered: it fails anyway.
    if (names_.size() > kColumnsMax) return kColumnsMax;
    const std::size_t place = names_.size();
    columns_.emplace(column, place);
    const std::size_t colon = name.rfind(':');
    const bool seems_typed =
        colon != std::string_view::npos && colon != 0 && find_type(name.substr(colon + 1));
    const bool is_key = place < keys_.size();
    const bool is_bare = is_key || (type == "S" && !seems_typed);
    names_.push_back(std::string(name) + (is_bare ? "" : ":" + std::string(type)));
    return place;
  }

  void append_row(std::string& text, Item item) {
    std::vector<std::string> cells(names_.size());
    for (const Member& member : item) {
      std::string cell;
      append_cell(cell, member.value);
      append_csv(cells[column_of(member.name, type_name(member.value.type()))], cell,
                 options_.delimiter);
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text += options_.delimiter;
      text += cells[i];
    }
    text += '\n';
  }

  const SinkOptions options_;
  const std::vector<std::string> keys_;
  const std::string spool_path_;
  std::mutex mutex_;
  OutputFile file_;
  OutputFile spool_;                            // guarded by mutex_
  std::map<std::string, std::size_t> columns_;  // guarded by mutex_; "TYPE:name"
  std::vector<std::string> names_;              // guarded by mutex_; as the header has them
};

}  // namespace

tl::expected<std::unique_ptr<ItemSink>, std::string> make_csv_sink(const SinkOptions& options,
                                                                   const TableInfo& table) {
  auto file = OutputFile::create(options.path);
  if (!file) return tl::unexpected(file.error());
  auto spool = OutputFile::create(CsvSink::spool_path(options));
  if (!spool) return tl::unexpected(spool.error());
  return std::unique_ptr<ItemSink>(
      std::make_unique<CsvSink>(options, table, *std::move(file), *std::move(spool)));
}

}  // namespace stator::data
