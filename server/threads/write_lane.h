// WriteLane: a thread that leads the commit queue through long writes, so that workers continue to
// serve reads. Most processes never start it.
#pragma once

#include "engine/api/engine.h"
#include "server/threads/lane.h"

namespace stator {

class WriteLane {
 public:
  // `engine` must outlive this.
  WriteLane(Engine& engine, const Lane::MakeDispatcher& make) : leading_(engine), lane_(1, make) {}

  // REQUIRES: the last call of Engine::lead_short_jobs() returned Long, and no other leader was
  // called for since.
  void lead() { lane_.push(leading_); }

 private:
  // There is one leader at a time, so this job is never in the lane twice.
  class Leading final : public LaneJob {
   public:
    explicit Leading(Engine& engine) : engine_(engine) {}
    void run(Dispatcher& /*dispatcher*/) noexcept override {
      while (engine_.lead()) {
      }
    }

   private:
    Engine& engine_;
  };

  Leading leading_;
  Lane lane_;  // last: its thread uses the above
};

}  // namespace stator
