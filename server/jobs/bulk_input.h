// Reads the objects of a bulk put, record by record.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "engine/api/bulk_puts.h"
#include "engine/schema/bulk_job.h"
#include "server/data/formats/input_file.h"
#include "server/data/objects/object_source.h"
#include "server/data/objects/object_store.h"

namespace stator {

class BulkInputReader {
 public:
  // Finds the objects, and goes to where the progress is. The store must outlive this.
  static tl::expected<BulkInputReader, data::StoreFailure> open(data::ObjectStore& store,
                                                                const BulkJob& job);

  // The next records, a bounded number of bytes; none: all are read. What cannot be unpacked is one
  // record with a problem, after which the next object begins. The error is a failure of the store.
  tl::expected<std::vector<BulkRecord>, data::StoreFailure> next();

  // Of all objects, as they are stored.
  std::int64_t total_bytes() const { return total_bytes_; }

 private:
  struct Object {
    std::string key;
    std::int64_t size_bytes = 0;
  };

  BulkInputReader(data::ObjectStore& store, const BulkInput& input);
  data::StoreResult find_objects();
  void go_to(const BulkProgress& progress);
  data::StoreResult open_next();
  // Returns false at the end of the object, which it closes.
  bool read(BulkRecord& record);
  void close();

  data::ObjectStore& store_;
  const BulkInput input_;
  std::vector<Object> objects_;
  std::int64_t total_bytes_ = 0;
  std::size_t next_object_ = 0;             // the open one, or the next
  std::uint64_t skipped_records_ = 0;       // of that object, done before
  std::int64_t bytes_before_ = 0;           // of the objects before it
  std::unique_ptr<data::ObjectRead> read_;  // of the open object; outlives the file
  std::optional<data::InputFile> file_;
  std::uint64_t next_record_ = 0;  // of the open object
};

}  // namespace stator
