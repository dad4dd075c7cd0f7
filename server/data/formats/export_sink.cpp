// Writes an export: data files as the items come, manifests at the end.

#include <filesystem>
#include <utility>
#include <vector>

#include "engine/seams/clock.h"
#include "engine/seams/random.h"
#include "protocol/service/arn.h"
#include "server/data/formats/export_folder.h"
#include "server/data/formats/output_file.h"
#include "server/data/packing/file_digest.h"
#include "server/data/transfer/ion_text.h"
#include "server/data/transfer/json_text.h"

namespace stator::data {

namespace {

namespace fs = std::filesystem;

// 14 digits of milliseconds and 8 hexadecimal ones.
std::string export_id(Timestamp now, Random& random) {
  std::string digits = std::to_string(now.unix_ms());
  digits.insert(0, 14 - std::min<std::size_t>(14, digits.size()), '0');
  return digits + "-" + random.uuid().substr(0, 8);
}

class ExportSink final : public ItemSink {
 public:
  ExportSink(const SinkOptions& options, const TableInfo& table)
      : table_{table}, format_{options.export_format}, id_{export_id(start_, random_)} {
    key_prefix_ = "AWSDynamoDB/" + id_ + "/";
    folder_ = fs::path(options.path) / "AWSDynamoDB" / id_;
  }

  // Returns an error; empty if none.
  std::string open(unsigned segments) {
    std::error_code error;
    fs::create_directories(folder_ / "data", error);
    if (error) return folder_.string() + ": " + error.message();
    if (std::string problem = write_file(folder_ / "_started", ""); !problem.empty())
      return problem;
    for (unsigned i = 0; i < segments; ++i) {
      std::string name = data_file_name(random_, format_);
      auto file = OutputFile::create((folder_ / "data" / name).string());
      if (!file) return file.error();
      parts_.push_back({std::move(name), *std::move(file)});
    }
    return {};
  }

  ~ExportSink() override {
    std::error_code ignored;
    if (!is_whole_) fs::remove_all(folder_, ignored);
  }
  ExportSink(const ExportSink&) = delete;
  ExportSink& operator=(const ExportSink&) = delete;

  // Each thread has its own segment, so its file needs no lock.
  std::string add(unsigned segment, std::span<const Item> items) override {
    Part& part = parts_[segment];
    std::string text;
    for (const Item item : items) {
      if (format_ == ExportFormat::Ion) {
        append_ion_line(text, item);
      } else {
        append_item_line(text, item);
      }
      text += '\n';
    }
    part.items += items.size();
    return part.file.append(text) ? std::string() : part.file.error();
  }

  std::string finish(std::string& notes) override {
    std::string files;
    std::uint64_t items = 0;
    for (Part& part : parts_) {
      if (std::string problem = part.file.finish(); !problem.empty()) return problem;
      const std::string path = (folder_ / "data" / part.name).string();
      auto sums = sums_of_file(path);
      if (!sums) return path + " cannot be read back";
      files += manifest_line({.key = key_prefix_ + "data/" + part.name,
                              .item_count = static_cast<std::int64_t>(part.items),
                              .md5 = std::move(sums->base64),
                              .etag = std::move(sums->hex)});
      items += part.items;
    }
    // The summary is last: it makes the folder an export.
    for (const auto& [name, text] : {std::pair<std::string, std::string>{"manifest-files", files},
                                     {"manifest-summary", summary(items)}}) {
      std::string problem = write_file(folder_ / checksum_name(name), md5_of_text(text));
      if (problem.empty()) problem = write_file(folder_ / (name + ".json"), text);
      if (!problem.empty()) return problem;
    }
    is_whole_ = true;
    notes = "the export is " + folder_.string();
    return {};
  }

 private:
  struct Part {
    std::string name;
    OutputFile file;
    std::uint64_t items = 0;
  };

  std::string summary(std::uint64_t items) const {
    ExportSummary summary;
    summary.arn = export_arn(table_.arn, id_);
    summary.start = start_;
    summary.end = SystemClock{}.now();
    summary.table_arn = table_.arn;
    summary.table_id = table_.id;
    summary.time = start_;
    summary.bucket = "local";
    summary.sse_algorithm = "AES256";
    summary.files_key = key_prefix_ + "manifest-files.json";
    summary.size_bytes = static_cast<std::int64_t>(table_.size_bytes);
    summary.item_count = static_cast<std::int64_t>(items);
    summary.format = format_;
    return manifest_summary(summary);
  }

  const TableInfo table_;
  const ExportFormat format_;
  const Timestamp start_ = SystemClock{}.now();
  SystemRandom random_;
  const std::string id_;
  std::string key_prefix_;
  fs::path folder_;
  std::vector<Part> parts_;
  bool is_whole_ = false;
};

}  // namespace

tl::expected<std::unique_ptr<ItemSink>, std::string> make_export_sink(const SinkOptions& options,
                                                                      const TableInfo& table) {
  auto sink = std::make_unique<ExportSink>(options, table);
  std::string problem = sink->open(options.segments);
  if (!problem.empty()) return tl::unexpected(std::move(problem));
  return std::unique_ptr<ItemSink>(std::move(sink));
}

}  // namespace stator::data
