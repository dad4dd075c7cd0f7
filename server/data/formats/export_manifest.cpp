// The texts of an export's manifests.
#include "engine/seams/iso_time.h"
#include "protocol/json/json_writer.h"
#include "server/data/formats/export_folder.h"

namespace stator::data {

namespace {

constexpr std::string_view kFullVersion = "2020-06-30";
constexpr std::string_view kIncrementalVersion = "2023-08-01";

void write_text_or_null(JsonWriter& json, std::string_view name,
                        const std::optional<std::string>& text) {
  json.key(name);
  if (text) {
    json.string(*text);
  } else {
    json.null();
  }
}

}  // namespace

std::string data_file_name(Random& random, ExportFormat format) {
  constexpr std::string_view kDigits = "abcdefghijklmnopqrstuvwxyz234567";
  constexpr std::size_t kNameChars = 26;
  std::string name;
  while (name.size() < kNameChars) name += kDigits[random.next() % kDigits.size()];
  return name += format == ExportFormat::Ion ? ".ion.gz" : ".json.gz";
}

std::string manifest_line(const DataFile& file) {
  std::string line;
  JsonWriter json{line};
  json.begin_object();
  json.member("itemCount", file.item_count);
  json.member("md5Checksum", std::string_view(file.md5));
  json.member("etag", std::string_view(file.etag));
  json.member("dataFileS3Key", std::string_view(file.key));
  json.end_object();
  return line += '\n';
}

std::string manifest_summary(const ExportSummary& summary) {
  std::string text;
  JsonWriter json{text};
  const auto time = [&](std::string_view name, Timestamp value) {
    json.member(name, std::string_view(iso_extended(value)));
  };
  json.begin_object();
  json.member("version", summary.window ? kIncrementalVersion : kFullVersion);
  json.member("exportArn", std::string_view(summary.arn));
  time("startTime", summary.start);
  time("endTime", summary.end);
  json.member("tableArn", std::string_view(summary.table_arn));
  json.member("tableId", std::string_view(summary.table_id));
  if (summary.window) {
    time("exportFromTime", summary.window->from);
    time("exportToTime", summary.window->to);
  } else {
    time("exportTime", summary.time);
  }
  json.member("s3Bucket", std::string_view(summary.bucket));
  write_text_or_null(json, "s3Prefix", summary.prefix);
  json.member("s3SseAlgorithm", std::string_view(summary.sse_algorithm));
  write_text_or_null(json, "s3SseKmsKeyId", summary.kms_key_id);
  json.member("manifestFilesS3Key", std::string_view(summary.files_key));
  json.member("billedSizeBytes", summary.size_bytes);
  json.member("itemCount", summary.item_count);
  json.member("outputFormat", to_text(summary.format));
  if (summary.window) json.member("outputView", to_text(summary.window->view));
  json.member("exportType", to_text(summary.window ? ExportType::Incremental : ExportType::Full));
  json.end_object();
  return text;
}

std::string checksum_name(std::string_view manifest) { return std::string(manifest) + ".md5"; }

}  // namespace stator::data
