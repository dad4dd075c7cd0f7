// ItemSink: where the items of a table go that is exported.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <tl/expected.hpp>

#include "protocol/value.h"
#include "server/data/records.h"
#include "server/data/table_info.h"

namespace stator::data {

// What is written, and where.
struct SinkOptions {
  std::string table;
  std::string path;
  Format format = Format::DynamodbJson;
  char delimiter = ',';
  unsigned segments = 1;
};

class ItemSink {
 public:
  virtual ~ItemSink() = default;
  // Safe from several threads, each with a segment of its own.
  virtual void add(unsigned segment, std::span<const Item> items) = 0;
  // All is added. Empty when it is in its place, else why not, for people. Lines for the user go to
  // `notes`.
  virtual std::string finish(std::string& notes) = 0;
};

// The error is for people.
tl::expected<std::unique_ptr<ItemSink>, std::string> make_sink(const SinkOptions& options,
                                                               const TableInfo& table);
// Those that make_sink() puts together.
tl::expected<std::unique_ptr<ItemSink>, std::string> make_csv_sink(const SinkOptions& options,
                                                                   const TableInfo& table);

}  // namespace stator::data
