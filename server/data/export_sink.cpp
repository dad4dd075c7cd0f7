// Items as an export: data files while they come, manifests behind them.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "engine/seams/clock.h"
#include "engine/seams/random.h"
#include "protocol/json_writer.h"
#include "server/data/export_folder.h"
#include "server/data/file_digest.h"
#include "server/data/output_file.h"
#include "server/iso_time.h"

namespace stator::data {

namespace {

namespace fs = std::filesystem;

// 14 digits of milliseconds and 8 hexadecimal ones.
std::string export_id(Timestamp now, Random& random) {
  std::string digits = std::to_string(now.unix_ms());
  digits.insert(0, 14 - std::min<std::size_t>(14, digits.size()), '0');
  return digits + "-" + random.uuid().substr(0, 8);
}

// 26 characters of base 32.
std::string data_name(Random& random) {
  constexpr std::string_view kDigits = "abcdefghijklmnopqrstuvwxyz234567";
  std::string name;
  while (name.size() < 26) name += kDigits[random.next() % kDigits.size()];
  return name + ".json.gz";
}

// Empty when it is written, else why not.
std::string write_text(const fs::path& path, std::string_view text) {
  std::ofstream file{path, std::ios::binary};
  file << text;
  file.close();
  return file.good() ? std::string() : path.string() + " cannot be written";
}

class ExportSink final : public ItemSink {
 public:
  ExportSink(const SinkOptions& options, const TableInfo& table)
      : table_{table}, id_{export_id(start_, random_)} {
    key_prefix_ = "AWSDynamoDB/" + id_ + "/";
    folder_ = fs::path(options.path) / "AWSDynamoDB" / id_;
  }

  // Empty when all is well.
  std::string open(unsigned segments) {
    std::error_code error;
    fs::create_directories(folder_ / "data", error);
    if (error) return folder_.string() + ": " + error.message();
    if (std::string problem = write_text(folder_ / "_started", ""); !problem.empty())
      return problem;
    for (unsigned i = 0; i < segments; ++i) {
      std::string name = data_name(random_);
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

  // A segment's file is its thread's alone.
  void add(unsigned segment, std::span<const Item> items) override {
    Part& part = parts_[segment];
    std::string text;
    for (const Item item : items) {
      text += "{\"Item\":";
      append_item_json(text, item);
      text += "}\n";
    }
    part.file.append(text);
    part.items += items.size();
  }

  std::string finish(std::string& notes) override {
    std::string files;
    std::uint64_t items = 0;
    for (Part& part : parts_) {
      if (std::string problem = part.file.finish(); !problem.empty()) return problem;
      JsonWriter json{files};
      json.begin_object();
      json.member("itemCount", static_cast<std::int64_t>(part.items));
      json.member("md5Checksum", md5_of_file((folder_ / "data" / part.name).string()));
      json.member("dataFileS3Key", key_prefix_ + "data/" + part.name);
      json.end_object();
      files += '\n';
      items += part.items;
    }
    // The summary is what makes it an export.
    for (const auto& [name, text] : {std::pair<std::string, std::string>{"manifest-files", files},
                                     {"manifest-summary", summary(items)}}) {
      std::string problem = write_text(folder_ / (name + ".checksum"), md5_of_text(text));
      if (problem.empty()) problem = write_text(folder_ / (name + ".json"), text);
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
    std::string text;
    JsonWriter json{text};
    json.begin_object();
    json.member("version", "2020-06-30");
    json.member("exportArn", table_.arn + "/export/" + id_);
    json.member("startTime", iso_extended(start_));
    json.member("endTime", iso_extended(SystemClock{}.now()));
    json.member("tableArn", table_.arn);
    json.member("tableId", table_.id);
    json.member("exportTime", iso_extended(start_));
    json.member("s3Bucket", "local");
    json.key("s3Prefix");
    json.null();
    json.member("s3SseAlgorithm", "AES256");
    json.key("s3SseKmsKeyId");
    json.null();
    json.member("manifestFilesS3Key", key_prefix_ + "manifest-files.json");
    json.member("billedSizeBytes", static_cast<std::int64_t>(table_.size_bytes));
    json.member("itemCount", static_cast<std::int64_t>(items));
    json.member("outputFormat", "DYNAMODB_JSON");
    json.member("exportType", "FULL_EXPORT");
    json.end_object();
    return text;
  }

  const TableInfo table_;
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
