// Runs one bulk put, piece by piece: reads its input, puts the records, and at the end writes the
// report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/api/bulk_puts.h"
#include "engine/api/engine.h"
#include "engine/schema/bulk_job.h"
#include "engine/seams/clock.h"
#include "server/data/objects/object_store.h"
#include "server/jobs/bulk_input.h"
#include "server/jobs/job_kind.h"

namespace stator {

class BulkRun {
 public:
  // Goes on where an earlier process, or this one, was.
  BulkRun(Engine& engine, data::ObjectStore& store) : engine_(engine), store_(store) {}

  enum class Step : std::uint8_t {
    Done,   // a piece, and more is to be done
    Ended,  // complete, cancelled or failed, and stored so; or the job was removed
    Interrupted,
    NotStored,  // its end could not be stored; to be run again by the next process
  };
  // One piece. `job` is as it is stored now. REQUIRES: `reader` belongs to this thread.
  Step step(const BulkJob& job, Engine::Reader& reader, const JobKind::MustStop& must_stop);

  // When the next piece is due: later than now if MaxWriteRequestUnits asks for it.
  Timestamp due() const { return due_; }

 private:
  Step put(const BulkJob& job, Engine::Reader& reader, const JobKind::MustStop& must_stop);
  Step end(const BulkJob& job, Engine::Reader& reader, const JobKind::MustStop& must_stop,
           std::optional<data::StoreFailure> failure);
  void keep_pace(const BulkJob& job, std::int64_t units_milli);

  Engine& engine_;
  data::ObjectStore& store_;
  std::optional<BulkInputReader> input_;
  std::vector<BulkRecord> records_;  // read, and not put yet
  std::int64_t item_count_ = 0;      // BulkProgress::item_count after the last piece
  Timestamp due_ = Timestamp::min();
};

}  // namespace stator
