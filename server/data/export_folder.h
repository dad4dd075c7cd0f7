// The folder of DynamoDB's own export to S3: manifests and packed data files, AWSDynamoDB/ID/…, as
// the service writes it (conformance/observed/export.md).
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "server/data/item_sink.h"
#include "server/data/records.h"

namespace stator::data {

// Reads an export, full or incremental, in the order of its manifest, and compares sums and counts.
// `path` is the folder with manifest-summary.json or one above it that holds a single export. The
// error is for people.
tl::expected<std::unique_ptr<RecordReader>, std::string> make_export_reader(
    const std::string& path);

// Writes a full export below the folder `options.path`: a data file for each segment. The manifests
// come last; without them it is none.
tl::expected<std::unique_ptr<ItemSink>, std::string> make_export_sink(const SinkOptions& options,
                                                                      const TableInfo& table);

}  // namespace stator::data
