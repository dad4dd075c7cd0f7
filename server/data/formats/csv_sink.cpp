// Writes items as CSV. The columns are known only after the last item, so items wait on the disk
// until then.

#include <map>
#include <set>
#include <utility>

#include "protocol/json/json_reader.h"
#include "server/data/formats/csv_records.h"
#include "server/data/formats/input_file.h"
#include "server/data/formats/item_of.h"
#include "server/data/formats/item_sink.h"
#include "server/data/formats/output_file.h"
#include "server/data/transfer/json_text.h"

namespace stator::data {

namespace {

// Size of one write.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// Quotes the text as make_csv_reader() expects.
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
  CsvSink(const SinkOptions& options, const TableInfo& table, OutputFile file,
          std::vector<Spool> spools)
      : options_{options}, keys_{table.keys}, file_{std::move(file)} {
    for (const std::string& key : keys_) column_of(key, table.types.find(key)->second);
    for (Spool& spool : spools) parts_.push_back({std::move(spool), {}, {}});
  }

  // Each thread has its own segment, so its part needs no lock.
  std::string add(unsigned segment, std::span<const Item> items) override {
    Part& part = parts_[segment];
    std::string text;
    for (const Item item : items) {
      append_item_json(text, item);
      text += '\n';
      for (const Member& member : item) part.note(member.name, type_name(member.value.type()));
    }
    return part.spool.append(text) ? std::string() : part.spool.error();
  }

  std::string finish(std::string& /*notes*/) override {
    for (const Part& part : parts_)
      for (const auto& [name, type] : part.columns) column_of(name, type);
    if (names_.size() > kColumnsMax)
      return options_.path + ": there are more than 10,000 columns of CSV";
    std::string text;
    for (const std::string& name : names_) {
      append_csv(text, name, options_.delimiter);
      text += &name == &names_.back() ? '\n' : options_.delimiter;
    }
    for (Part& part : parts_) {
      if (std::string problem = append_rows(text, part); !problem.empty()) return problem;
    }
    file_.append(text);
    return file_.finish();
  }

 private:
  // A segment's items, and its columns in order of appearance.
  struct Part {
    Spool spool;
    std::set<std::string> seen;
    std::vector<std::pair<std::string, std::string>> columns;  // name, type

    void note(std::string_view name, std::string_view type) {
      // Above the limit the export fails anyway.
      if (columns.size() > kColumnsMax) return;
      if (seen.insert(column_key(name, type)).second) columns.emplace_back(name, type);
    }
  };

  static std::string column_key(std::string_view name, std::string_view type) {
    return std::string(type) + ":" + std::string(name);
  }

  std::string append_rows(std::string& text, Part& part) {
    auto waiting = part.spool.read();
    if (!waiting) return waiting.error();
    std::string line;
    for (; waiting->take_line(line); line.clear()) {
      Arena arena;
      const auto read = read_json(line, arena);
      const auto item = read ? item_of(*read, arena) : tl::unexpected(std::string());
      if (!item) return waiting->path() + " was changed meanwhile";
      append_row(text, *item);
      if (text.size() >= kPieceBytes && !file_.append(std::exchange(text, {}))) break;
    }
    return waiting->error();
  }

  std::size_t column_of(std::string_view name, std::string_view type) {
    const std::string column = column_key(name, type);
    const auto found = columns_.find(column);
    if (found != columns_.end()) return found->second;
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
  OutputFile file_;
  std::vector<Part> parts_;                     // by segment
  std::map<std::string, std::size_t> columns_;  // by column_key()
  std::vector<std::string> names_;              // as the header has them
};

}  // namespace

tl::expected<std::unique_ptr<ItemSink>, std::string> make_csv_sink(const SinkOptions& options,
                                                                   const TableInfo& table) {
  auto file = OutputFile::create(options.path, options.packing);
  if (!file) return tl::unexpected(file.error());
  auto spools = make_spools(options, options.segments);
  if (!spools) return tl::unexpected(std::move(spools).error());
  return std::unique_ptr<ItemSink>(
      std::make_unique<CsvSink>(options, table, *std::move(file), *std::move(spools)));
}

}  // namespace stator::data
