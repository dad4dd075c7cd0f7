// JobKind: one kind of background job that works with the object store. The thread of Jobs runs
// them.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "engine/api/engine.h"
#include "engine/seams/clock.h"

namespace stator {

class JobKind {
 public:
  using MustStop = std::function<bool()>;

  virtual ~JobKind() = default;

  // In the plural, for the log: "exports".
  virtual std::string_view name() const = 0;

  // Whether a job is ready to run: a new one, or one that an earlier process left.
  virtual bool has_ready(Engine::Reader& reader) = 0;

  // Runs the next ready job to its end, or a piece of it, or until `must_stop` says so, which it
  // asks between pieces. Returns false if no job is ready. May throw: other kinds go on, and this
  // one is asked again after the next commit that makes a job ready. REQUIRES: `reader` belongs to
  // this thread.
  virtual bool run_next(Engine::Reader& reader, const MustStop& must_stop) = 0;

  // After run_next() has returned false: when, by the engine's clock, a job that waits goes on;
  // empty if none waits. On the thread of run_next().
  virtual std::optional<Timestamp> next_due() { return {}; }
};

}  // namespace stator
