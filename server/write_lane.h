// WriteLane: a thread that leads the commit queue through writes that take long, so that those who
// serve connections go on reading meanwhile. Most processes never start it.
#pragma once

#include "engine/storage/commit_queue.h"
#include "server/lane.h"

namespace stator {

class WriteLane {
 public:
  // `queue` must outlive this.
  WriteLane(storage::CommitQueue& queue, const Lane::MakeDispatcher& make)
      : leading_(queue), lane_(1, make) {}

  // REQUIRES: the queue's lead_briefly() answered Left::Long, and nobody was asked since.
  void lead() { lane_.push(leading_); }

 private:
  // There is one leader at a time, so this is never pushed before the lane has taken it out again.
  class Leading final : public LaneJob {
   public:
    explicit Leading(storage::CommitQueue& queue) : queue_(queue) {}
    void run(Dispatcher& /*dispatcher*/) noexcept override {
      while (queue_.lead()) {
      }
    }

   private:
    storage::CommitQueue& queue_;
  };

  Leading leading_;
  Lane lane_;  // last: its thread uses the above
};

}  // namespace stator
