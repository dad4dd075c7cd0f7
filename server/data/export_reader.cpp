// Exports as records: manifests first, then the data files in their order.

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/json_reader.h"
#include "server/data/export_folder.h"
#include "server/data/file_digest.h"
#include "server/data/input_file.h"
#include "server/data/json_records.h"
#include "server/data/json_text.h"

namespace stator::data {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSummary = "manifest-summary.json";
// AWSDynamoDB/ID below a prefix.
constexpr int kDepthMax = 6;

struct DataFile {
  std::string path;
  std::string md5;  // Base64; empty: not told
  std::uint64_t items = 0;
};

// Folders below `folder` with the summary of an export.
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

// {"Metadata":…,"Keys":…,"NewImage":…}, from incremental exports: the item as it is at the end, or
// the key of one that is gone.
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

class ExportReader final : public RecordReader {
 public:
  // Empty when all is well.
  std::string open(const fs::path& folder) {
    Arena arena;
    std::string text;
    const auto summary = read_object(folder / kSummary, text, arena);
    if (!summary) return (folder / kSummary).string() + " is no JSON object";
    const std::string format(text_in(*summary, "outputFormat"));
    if (format != "DYNAMODB_JSON")
      return folder.string() + " is in the format " + format + "; DYNAMODB_JSON is read";
    is_incremental_ = text_in(*summary, "exportType") == "INCREMENTAL_EXPORT";
    return read_files(folder);
  }

  bool next(Record& record) override {
    while (error_.empty() && (file_ || open_next())) {
      record.raw.clear();
      record.problem.clear();
      record.line = file_->line();
      bool is_too_long = false;
      if (!file_->take_line(record.raw, is_too_long)) {
        close();
        continue;
      }
      ++items_;
      if (is_too_long) {
        record.problem = "it is longer than 16 MiB";
        return true;
      }
      record.text = record.raw;
      // The members of a change are no attributes, so it is read as it stands.
      Format format = Format::DynamodbJson;
      read_json_record(record, format);
      if (is_incremental_ && record.problem.empty()) take_change(record);
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
  std::string_view format_text() const override { return "DynamoDB's export"; }

 private:
  static std::optional<JsonNode> read_object(const fs::path& path, std::string& text,
                                             Arena& arena) {
    std::ifstream file{path, std::ios::binary};
    text.assign(std::istreambuf_iterator<char>(file), {});
    auto read = read_json(text, arena);
    if (read && read->kind() != JsonNode::Kind::Object) read.reset();
    return read;
  }

  std::string read_files(const fs::path& folder) {
    auto manifest = InputFile::open((folder / "manifest-files.json").string());
    if (!manifest) return manifest.error();
    std::string line;
    for (bool is_too_long = false; manifest->take_line(line, is_too_long); line.clear()) {
      Arena arena;
      const auto entry = read_json(line, arena);
      const std::string key = entry && entry->kind() == JsonNode::Kind::Object
                                  ? std::string(text_in(*entry, "dataFileS3Key"))
                                  : std::string();
      if (key.empty()) return manifest->path() + ": a line names no data file";
      DataFile file{.path = place_of(folder, key).string(),
                    .md5 = std::string(text_in(*entry, "md5Checksum"))};
      const std::string_view items = number_text_in(*entry, "itemCount");
      std::from_chars(items.data(), items.data() + items.size(), file.items);
      std::error_code error;
      bytes_total_ += fs::file_size(file.path, error);
      if (error) return file.path + " is in the manifest: " + error.message();
      files_.push_back(std::move(file));
    }
    return {};
  }

  // Keys tell where a file was in its bucket. Full exports have theirs in data/ beside the
  // manifest, incremental ones in data/ beside its folder.
  static fs::path place_of(const fs::path& folder, const std::string& key) {
    const fs::path name = fs::path(key).filename();
    const fs::path beside = folder / "data" / name;
    return fs::exists(beside) ? beside : folder.parent_path() / "data" / name;
  }

  bool open_next() {
    if (next_ == files_.size()) return false;
    const DataFile& data = files_[next_];
    if (!data.md5.empty() && md5_of_file(data.path) != data.md5) {
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

  bool is_incremental_ = false;
  std::vector<DataFile> files_;
  std::size_t next_ = 0;  // the file that is open, or the next
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
