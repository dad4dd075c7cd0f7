#include "server/data/csv_records.h"

#include <optional>
#include <utility>

#include "protocol/json_reader.h"
#include "protocol/json_writer.h"
#include "protocol/utf8.h"
#include "protocol/value.h"
#include "server/data/json_text.h"

namespace stator::data {

namespace {

constexpr std::size_t kColumnsMax = 10'000;

struct Cell {
  std::string text;
  bool is_quoted = false;
};

struct Column {
  std::string name;
  std::string type;
};

// One line of cells and where it began.
class Splitter {
 public:
  Splitter(InputFile& file, char delimiter) : file_{file}, delimiter_{delimiter} {}

  // False at the end. `raw` is what stood there without its last line break. A problem is for
  // people; the line is taken to its end.
  bool next(std::vector<Cell>& cells, std::string& raw, std::string& problem) {
    cells.assign(1, {});
    raw.clear();
    problem.clear();
    if (file_.peek() < 0) return false;
    bool is_inside = false;  // of quotes
    for (;;) {
      const int byte = file_.take();
      if (byte < 0 || (byte == '\n' && !is_inside)) break;
      if (raw.size() < kRecordBytesMax) raw += static_cast<char>(byte);
      Cell& cell = cells.back();
      if (byte == '"' && is_inside && file_.peek() == '"') {
        raw += static_cast<char>(file_.take());
        cell.text += '"';
      } else if (byte == '"' && (is_inside || cell.text.empty())) {
        is_inside = !is_inside;
        cell.is_quoted = true;
      } else if (byte == delimiter_ && !is_inside) {
        if (cells.size() < kColumnsMax) cells.emplace_back();
      } else if (byte == '\r' && !is_inside && (file_.peek() == '\n' || file_.peek() < 0)) {
        raw.pop_back();
      } else if (raw.size() < kRecordBytesMax) {
        cell.text += static_cast<char>(byte);
      }
    }
    if (is_inside) problem = "a quote is opened and never closed";
    if (raw.size() >= kRecordBytesMax) problem = "it is longer than 16 MiB";
    return true;
  }

 private:
  InputFile& file_;
  const char delimiter_;
};

Column column_of(std::string text, const ReadOptions& options) {
  const auto known = options.types.find(text);
  if (known != options.types.end()) return {std::move(text), known->second};
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && colon != 0 && find_type(text.substr(colon + 1)))
    return {text.substr(0, colon), text.substr(colon + 1)};
  return {std::move(text), "S"};
}

class CsvReader final : public RecordReader {
 public:
  CsvReader(InputFile file, const ReadOptions& options)
      : file_{std::move(file)}, splitter_{file_, options.delimiter} {}

  // Empty when all is well.
  std::string read_head(const ReadOptions& options) {
    std::vector<Cell> cells;
    if (options.header.empty()) {
      std::string problem;
      file_.skip_byte_order_mark();
      if (!splitter_.next(cells, head_, problem)) return file_.path() + ": it is empty";
      if (!problem.empty()) return file_.path() + " line 1: " + problem;
      if (!is_valid_utf8(head_)) return file_.path() + " line 1: it is not UTF-8";
    } else {
      for (const std::string& name : options.header) cells.push_back({name, false});
    }
    for (Cell& cell : cells) {
      if (cell.text.empty()) return file_.path() + " line 1: a column has no name";
      columns_.push_back(column_of(std::move(cell.text), options));
    }
    return {};
  }

  bool next(Record& record) override {
    do {
      record.line = file_.line();
      if (!splitter_.next(cells_, record.raw, record.problem)) return false;
    } while (record.raw.empty());
    if (record.problem.empty() && !is_valid_utf8(record.raw)) record.problem = "it is not UTF-8";
    if (record.problem.empty() && cells_.size() != columns_.size()) {
      record.problem = "it has " + std::to_string(cells_.size()) + " cells, the header has " +
                       std::to_string(columns_.size());
    }
    if (record.problem.empty()) build(record);
    return true;
  }

  std::string error() const override { return file_.error(); }
  std::string path() const override { return file_.path(); }
  std::uint64_t bytes_read() const override { return file_.bytes_read(); }
  std::uint64_t bytes_total() const override { return file_.bytes_total(); }
  std::string_view format_text() const override { return "CSV"; }
  std::string head() const override { return head_; }

 private:
  void build(Record& record) {
    record.text = "{";
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i].text.empty() && !cells_[i].is_quoted) continue;
      if (record.text.size() > 1) record.text += ',';
      append_json_string(record.text, columns_[i].name);
      record.text += ':';
      append_value_of_cell(record.text, columns_[i].type, cells_[i].text);
    }
    record.text += '}';
    record.is_delete = false;
    record.arena.reset();
    const auto read = read_json(record.text, record.arena);
    if (read) {
      record.item = *read;
    } else {
      record.problem = "a cell of a column with a type is no JSON of that type";
    }
  }

  InputFile file_;
  Splitter splitter_;
  std::string head_;
  std::vector<Column> columns_;
  std::vector<Cell> cells_;
};

}  // namespace

tl::expected<std::unique_ptr<RecordReader>, std::string> make_csv_reader(
    InputFile file, const ReadOptions& options) {
  auto reader = std::make_unique<CsvReader>(std::move(file), options);
  std::string problem = reader->read_head(options);
  if (!problem.empty()) return tl::unexpected(std::move(problem));
  return std::unique_ptr<RecordReader>(std::move(reader));
}

}  // namespace stator::data
