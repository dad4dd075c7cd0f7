// ImportLog: the errors of an import, one JSON object in a line, as an object of the bucket of
// logs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/schema/import_job.h"
#include "server/data/objects/object_store.h"

namespace stator {

class ImportLog {
 public:
  // Both must outlive this.
  ImportLog(const ImportJob& job, data::ObjectStore& store) : job_(job), store_(store) {}

  // Adds an error of the record `index` of the object, from 0. The object of the log is begun with
  // the first one. After kLinesMax no more are added.
  void add(std::string_view key, std::uint64_t index, std::string_view message);
  // Makes the log visible, if it has lines.
  void finish();

  bool is_full() const { return lines_ >= kLinesMax; }

 private:
  static constexpr std::uint64_t kLinesMax = 10'000;

  std::string key() const;
  // A log that cannot be written stops nothing. Says so once.
  void give_up(const data::StoreFailure& failure);

  const ImportJob& job_;
  data::ObjectStore& store_;
  std::unique_ptr<data::ObjectWriter> writer_;
  std::uint64_t lines_ = 0;
  bool is_given_up_ = false;
};

}  // namespace stator
