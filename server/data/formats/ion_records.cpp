#include "server/data/formats/ion_records.h"

#include <algorithm>
#include <utility>

#include "protocol/json/json_reader.h"
#include "server/data/recognition/file_look.h"
#include "server/data/transfer/ion_reader.h"

namespace stator::data {

namespace {

// Reads the line into the node of a whole object; none with `record.problem`.
std::optional<JsonNode> read_line(Record& record) {
  record.arena.reset();
  record.is_delete = false;
  record.text.clear();
  if (auto read = append_ion_line_json(record.text, record.raw); !read) {
    record.problem = std::move(read).error();
    return std::nullopt;
  }
  auto node = read_json(record.text, record.arena);
  if (!node) record.problem = "it is nested too deep";
  return node;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

class IonReader final : public RecordReader {
 public:
  explicit IonReader(InputFile file) : file_{std::move(file)} {}

  bool next(Record& record) override {
    if (file_.line() == 1) file_.skip_byte_order_mark();
    do {
      record.raw.clear();
      record.problem.clear();
      record.line = file_.line();
      if (!file_.take_line(record.raw)) return false;
    } while (is_blank(record.raw) || is_ion_version(record.raw));
    read_ion_item(record);
    return true;
  }

  std::string error() const override { return file_.error(); }
  std::string path() const override { return file_.path(); }
  std::uint64_t bytes_read() const override { return file_.bytes_read(); }
  std::uint64_t bytes_total() const override { return file_.bytes_total(); }
  std::string format_text() const override { return "Ion"; }

 private:
  InputFile file_;
};

}  // namespace

bool begins_ion(InputFile& file) {
  return text_look(file.look_ahead(kLookBytes).substr(0, kLookBytes)) == kIonLook;
}

std::unique_ptr<RecordReader> make_ion_reader(InputFile file) {
  return std::make_unique<IonReader>(std::move(file));
}

void read_ion_item(Record& record) {
  const auto node = read_line(record);
  if (!node) return;
  const JsonNode* const item = node->find("Item");
  if (item == nullptr) {
    record.problem = "it is a record of an incremental export, not an item";
  } else {
    record.item = *item;
  }
}

void read_ion_change(Record& record) {
  if (const auto node = read_line(record)) record.item = *node;
}

}  // namespace stator::data
