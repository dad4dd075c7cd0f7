// The folder of DynamoDB's export to S3: AWSDynamoDB/ID/… with manifests and gzip data files, as
// the service writes it (conformance/observed/exports.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "engine/schema/export_job.h"
#include "engine/seams/clock.h"
#include "engine/seams/random.h"
#include "server/data/formats/item_sink.h"
#include "server/data/formats/records.h"

namespace stator::data {

// Reads a full or incremental export in the order of its manifest, and verifies checksums and
// counts. `path` is the folder with manifest-summary.json, or one above it that contains a single
// export. The error is for people.
tl::expected<std::unique_ptr<RecordReader>, std::string> make_export_reader(
    const std::string& path);

// Writes a full export below the folder `options.path`, with a data file for each segment. The
// manifests come last: without them the folder is no export.
tl::expected<std::unique_ptr<ItemSink>, std::string> make_export_sink(const SinkOptions& options,
                                                                      const TableInfo& table);

// ---- The texts of manifests ----

// 26 characters of base 32 and the ending of the format.
std::string data_file_name(Random& random, ExportFormat format);

struct DataFile {
  std::string key;
  std::int64_t item_count = 0;
  std::string md5;   // of the object as it is stored, in Base64
  std::string etag;  // as S3 has it for an object that was put at once: the MD5 in hexadecimal
};
// A line of manifest-files.json.
std::string manifest_line(const DataFile& file);

struct ExportSummary {
  std::string arn;
  Timestamp start;
  Timestamp end;
  std::string table_arn;
  std::string table_id;
  Timestamp time;                      // of a full export
  std::optional<ExportWindow> window;  // of an incremental one
  std::string bucket;
  std::optional<std::string> prefix;
  std::string sse_algorithm;
  std::optional<std::string> kms_key_id;
  std::string files_key;  // of manifest-files.json
  std::int64_t size_bytes = 0;
  std::int64_t item_count = 0;
  ExportFormat format = ExportFormat::DynamodbJson;
};
// manifest-summary.json.
std::string manifest_summary(const ExportSummary& summary);

// The object with the MD5 of a manifest in Base64, such as manifest-files.md5. `manifest` is the
// manifest's name without its ending. The developer guide calls the object manifest-files.checksum,
// but the service does not (conformance/observed/exports.md 3).
std::string checksum_name(std::string_view manifest);

}  // namespace stator::data
