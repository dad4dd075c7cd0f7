#include "server/data/formats/records.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "server/data/formats/csv_records.h"
#include "server/data/formats/export_folder.h"
#include "server/data/formats/ion_records.h"
#include "server/data/formats/json_records.h"
#include "server/data/recognition/file_look.h"
#include "server/data/recognition/utf16.h"

namespace stator::data {

namespace {

namespace fs = std::filesystem;

// The data files of a table's folder as dynamodump writes it, schema.json beside data/0001.json, in
// the order of their names; empty if the folder is none.
std::vector<fs::path> files_of_dump(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  if (!fs::is_regular_file(folder / "schema.json", ignored)) return files;
  for (const auto& entry : fs::directory_iterator(folder / "data", ignored))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// The folders of tables in a dump: `folder`, or those in it.
std::vector<fs::path> dumps_in(const fs::path& folder) {
  if (!files_of_dump(folder).empty()) return {folder};
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (!files_of_dump(entry.path()).empty()) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// The items of several files, one file after another.
class DumpReader final : public RecordReader {
 public:
  DumpReader(std::vector<fs::path> files, const ReadOptions& options)
      : files_{std::move(files)}, options_{options} {
    options_.may_be_empty = true;
    std::error_code ignored;
    for (const fs::path& file : files_) bytes_total_ += fs::file_size(file, ignored);
  }

  bool next(Record& record) override {
    while (error_.empty()) {
      if (file_ != nullptr && file_->next(record)) return true;
      if (file_ != nullptr && !file_->error().empty()) return false;
      if (next_ == files_.size()) return false;
      if (file_ != nullptr) bytes_before_ += file_->bytes_total();
      auto opened = open_records(files_[next_++].string(), options_);
      if (opened) {
        file_ = *std::move(opened);
      } else {
        error_ = std::move(opened).error();
      }
    }
    return false;
  }

  std::string error() const override {
    return error_.empty() && file_ != nullptr ? file_->error() : error_;
  }
  std::string path() const override { return file_ != nullptr ? file_->path() : std::string(); }
  std::uint64_t bytes_read() const override {
    return bytes_before_ + (file_ != nullptr ? file_->bytes_read() : 0);
  }
  std::uint64_t bytes_total() const override { return bytes_total_; }
  std::string format_text() const override { return "a dump of dynamodump"; }

 private:
  const std::vector<fs::path> files_;
  ReadOptions options_;
  std::size_t next_ = 0;  // the file after the open one
  std::unique_ptr<RecordReader> file_;
  std::string error_;
  std::uint64_t bytes_before_ = 0;  // in the files before the open one
  std::uint64_t bytes_total_ = 0;
};

tl::expected<std::unique_ptr<RecordReader>, std::string> open_folder(const std::string& path,
                                                                     const ReadOptions& options) {
  const bool may_be_dump = options.format != Format::Export && !options.is_strict;
  std::vector<fs::path> dumps = may_be_dump ? dumps_in(path) : std::vector<fs::path>();
  // Of several tables the one that the items are for.
  const auto meant = std::find_if(dumps.begin(), dumps.end(), [&](const fs::path& dump) {
    return dump.filename() == options.table;
  });
  if (dumps.empty()) return make_export_reader(path);
  if (dumps.size() > 1 && meant == dumps.end()) {
    return tl::unexpected(path + " holds dumps of " + std::to_string(dumps.size()) +
                          " tables, name one: " + dumps.front().string());
  }
  const fs::path& chosen = meant != dumps.end() ? *meant : dumps.front();
  return std::make_unique<DumpReader>(files_of_dump(chosen), options);
}

}  // namespace

std::string_view format_name(Format format) {
  constexpr std::array<std::string_view, 7> kNames = {"auto", "json", "dynamodb-json", "csv",
                                                      "ion",  "scan", "export"};
  return kNames[static_cast<std::size_t>(format)];
}

tl::expected<std::unique_ptr<RecordReader>, std::string> read_records(InputFile file,
                                                                      const ReadOptions& options) {
  if (const auto order = utf16_order(file.look_ahead(kLookBytes)); order && !options.is_strict)
    file.decode_utf16(*order);
  const std::string foreign = foreign_look(file.look_ahead(kLookBytes).substr(0, kLookBytes));
  if (!foreign.empty()) return tl::unexpected(file.path() + " is " + foreign);
  const Format found = recognise(file);
  if (!file.error().empty()) return tl::unexpected(file.error());
  if (file.peek() < 0 && !options.may_be_empty) return tl::unexpected(file.path() + " is empty");
  // For the two kinds of JSON the first record decides.
  const bool is_known = found != Format::Json;
  const Format format = options.format == Format::Auto && is_known ? found : options.format;
  if (format == Format::Csv) return make_csv_reader(std::move(file), options);
  if (!options.column_types.empty()) {
    return tl::unexpected(file.path() + " is " + (format == Format::Ion ? "Ion" : "JSON") +
                          "; --types is for the columns of CSV");
  }
  if (format == Format::Ion) return make_ion_reader(std::move(file));
  return make_json_reader(std::move(file), format, options);
}

tl::expected<std::unique_ptr<RecordReader>, std::string> open_records(const std::string& path,
                                                                      const ReadOptions& options) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return open_folder(path, options);
  if (options.format == Format::Export) return tl::unexpected(path + " is no folder");
  auto file = InputFile::open(path, options.packing);
  if (!file) return tl::unexpected(std::move(file).error());
  return read_records(*std::move(file), options);
}

}  // namespace stator::data
