// Reads an export: the manifests first, then the data files in their order.

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/json/json_reader.h"
#include "server/data/formats/export_folder.h"
#include "server/data/formats/input_file.h"
#include "server/data/formats/ion_records.h"
#include "server/data/formats/json_records.h"
#include "server/data/packing/file_digest.h"
#include "server/data/transfer/json_text.h"

namespace stator::data {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSummary = "manifest-summary.json";
// Depth of AWSDynamoDB/ID below a prefix.
constexpr int kDepthMax = 6;

struct DataFile {
  std::string path;
  std::string md5;  // Base64; empty: not told
  std::uint64_t items = 0;
};

// Folders below `folder` that contain the summary of an export.
std::vector<fs::path> exports_below(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  auto entry = fs::recursive_directory_iterator(folder, ignored);
  for (; entry != fs::recursive_directory_iterator(); entry.increment(ignored)) {
    if (entry.depth() >= kDepthMax) entry.disable_recursion_pending();
    if (entry->path().filename() == kSummary) found.push_back(entry->path().parent_path());
  }
  return found;
}

// Takes a line of an incremental export, {"Metadata":…,"Keys":…,"NewImage":…}: the new item, or the
// key of a deleted one.
void take_change(Record& record) {
  const JsonNode* const image = record.item.find("NewImage");
  const JsonNode* const keys = record.item.find("Keys");
  if (image == nullptr && keys == nullptr) {
    record.problem = "it is no record of an incremental export";
    return;
  }
  record.is_delete = image == nullptr;
  record.item = image != nullptr ? *image : *keys;
}

std::optional<std::uint64_t> number_of(const JsonNode& object, std::string_view name) {
  const std::string_view text = number_text_in(object, name);
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  return number;
}

class ExportReader final : public RecordReader {
 public:
  // Returns an error; empty if none.
  std::string open(const fs::path& folder) {
    const std::string path = (folder / kSummary).string();
    auto text = read_file(path);
    if (!text) return text.error();
    Arena arena;
    const auto summary = read_json(*text, arena);
    if (!summary || summary->kind() != JsonNode::Kind::Object) return path + " is no JSON object";
    const std::string_view format = text_in(*summary, "outputFormat");
    is_ion_ = format == to_text(ExportFormat::Ion);
    if (!is_ion_ && format != to_text(ExportFormat::DynamodbJson)) {
      return folder.string() + " is in the format " + std::string(format) +
             "; DYNAMODB_JSON and ION are read";
    }
    is_incremental_ = text_in(*summary, "exportType") == "INCREMENTAL_EXPORT";
    return read_files(folder, number_of(*summary, "itemCount"));
  }

  bool next(Record& record) override {
    while (error_.empty() && (file_ || open_next())) {
      record.raw.clear();
      record.problem.clear();
      record.line = file_->line();
      if (!file_->take_line(record.raw)) {
        close();
        continue;
      }
      ++items_;
      read_line(record);
      return true;
    }
    return false;
  }

  std::string error() const override { return error_; }
  std::string path() const override { return file_ ? file_->path() : std::string(); }
  std::uint64_t bytes_read() const override {
    return bytes_before_ + (file_ ? file_->bytes_read() : 0);
  }
  std::uint64_t bytes_total() const override { return bytes_total_; }
  std::string format_text() const override { return "DynamoDB's export"; }

 private:
  void read_line(Record& record) const {
    if (!is_ion_) {
      record.text = record.raw;
      // The members of an incremental line are no attributes, so the format is fixed.
      Format format = Format::DynamodbJson;
      read_json_record(record, format, /*is_by_line=*/true);
    } else if (is_incremental_) {
      read_ion_change(record);
    } else {
      read_ion_item(record);
    }
    if (is_incremental_ && record.problem.empty()) take_change(record);
  }

  // Compares the sum of the files with `items_of_summary`, if the summary has it.
  std::string read_files(const fs::path& folder,
                         const std::optional<std::uint64_t>& items_of_summary) {
    auto manifest = InputFile::open((folder / "manifest-files.json").string());
    if (!manifest) return manifest.error();
    std::uint64_t items = 0;
    std::string line;
    for (; manifest->take_line(line); line.clear()) {
      Arena arena;
      const auto entry = read_json(line, arena);
      const std::string key = entry && entry->kind() == JsonNode::Kind::Object
                                  ? std::string(text_in(*entry, "dataFileS3Key"))
                                  : std::string();
      if (key.empty()) return manifest->path() + ": a line names no data file";
      DataFile file{.path = place_of(folder, key).string(),
                    .md5 = std::string(text_in(*entry, "md5Checksum"))};
      file.items = number_of(*entry, "itemCount").value_or(0);
      std::error_code error;
      bytes_total_ += fs::file_size(file.path, error);
      if (error) return file.path + " is in the manifest: " + error.message();
      items += file.items;
      files_.push_back(std::move(file));
    }
    if (!manifest->error().empty()) return manifest->error();
    if (items_of_summary && *items_of_summary != items) {
      return manifest->path() + " names files with " + std::to_string(items) + " items, " +
             std::string(kSummary) + " says " + std::to_string(*items_of_summary);
    }
    return {};
  }

  // Keys are paths in the original bucket. Full exports have their files in data/ beside the
  // manifest, incremental ones in data/ beside the manifest's folder.
  static fs::path place_of(const fs::path& folder, const std::string& key) {
    const fs::path name = fs::path(key).filename();
    const fs::path beside = folder / "data" / name;
    return fs::exists(beside) ? beside : folder.parent_path() / "data" / name;
  }

  bool open_next() {
    if (next_ == files_.size()) return false;
    const DataFile& data = files_[next_];
    const auto sums = data.md5.empty() ? std::nullopt : sums_of_file(data.path);
    if (!data.md5.empty() && (!sums || sums->base64 != data.md5)) {
      error_ = data.path + ": its MD5 sum is not that of the manifest";
      return false;
    }
    auto file = InputFile::open(data.path);
    if (!file) {
      error_ = file.error();
      return false;
    }
    file_.emplace(*std::move(file));
    items_ = 0;
    return true;
  }

  void close() {
    const DataFile& data = files_[next_++];
    error_ = file_->error();
    if (error_.empty() && items_ != data.items) {
      error_ = data.path + " holds " + std::to_string(items_) + " items, its manifest says " +
               std::to_string(data.items);
    }
    bytes_before_ += file_->bytes_total();
    file_.reset();
  }

  bool is_ion_ = false;
  bool is_incremental_ = false;
  std::vector<DataFile> files_;
  std::size_t next_ = 0;  // the open file, or the next one
  std::optional<InputFile> file_;
  std::uint64_t items_ = 0;
  std::uint64_t bytes_before_ = 0;
  std::uint64_t bytes_total_ = 0;
  std::string error_;
};

}  // namespace

tl::expected<std::unique_ptr<RecordReader>, std::string> make_export_reader(
    const std::string& path) {
  const auto found = exports_below(path);
  if (found.empty())
    return tl::unexpected(path + " is a folder without a manifest-summary.json, so no export");
  if (found.size() > 1) {
    return tl::unexpected(path + " holds " + std::to_string(found.size()) +
                          " exports, name one: " + found.front().string());
  }
  auto reader = std::make_unique<ExportReader>();
  std::string problem = reader->open(found.front());
  if (!problem.empty()) return tl::unexpected(std::move(problem));
  return std::unique_ptr<RecordReader>(std::move(reader));
}

}  // namespace stator::data
