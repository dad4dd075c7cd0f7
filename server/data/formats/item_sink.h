// ItemSink: writes the items of an exported table.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "engine/schema/export_job.h"
#include "protocol/values/value.h"
#include "server/data/formats/records.h"
#include "server/data/formats/spool.h"
#include "server/data/packing/packing.h"
#include "server/data/transfer/table_info.h"

namespace stator::data {

// Format and target of an export.
struct SinkOptions {
  std::string table;
  std::string path;
  Format format = Format::DynamodbJson;
  ExportFormat export_format = ExportFormat::DynamodbJson;  // of the data files of Format::Export
  Packing packing = Packing::None;  // of a file; the data files of Format::Export are gzip
  char delimiter = ',';
  unsigned segments = 1;
  std::string spool_folder = ".";  // for segments that wait on the disk
};

class ItemSink {
 public:
  virtual ~ItemSink() = default;
  // Adds items. Several threads may call this, each with its own segment. Returns an error for
  // people; empty if none.
  virtual std::string add(unsigned segment, std::span<const Item> items) = 0;
  // Completes the file. It has the segments in order, and their items in the order of add(), so the
  // same table gives the same file. Returns an error for people; empty if the file is complete.
  // `notes` gets lines for the user.
  virtual std::string finish(std::string& notes) = 0;
};

// The error is for people.
tl::expected<std::unique_ptr<ItemSink>, std::string> make_sink(const SinkOptions& options,
                                                               const TableInfo& table);
// Creates `count` spools for segments that wait on the disk.
tl::expected<std::vector<Spool>, std::string> make_spools(const SinkOptions& options,
                                                          unsigned count);
// The formats of make_sink().
tl::expected<std::unique_ptr<ItemSink>, std::string> make_csv_sink(const SinkOptions& options,
                                                                   const TableInfo& table);

}  // namespace stator::data
