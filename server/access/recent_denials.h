// RecentDenials: the last accesses that were denied, with all that decided about them, so that each
// can be explained later as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/seams/clock.h"
#include "protocol/access/request_context.h"
#include "server/access/principals/directory.h"

namespace stator::access {

struct DeniedAccess {
  std::shared_ptr<const Identity> sender;
  std::string action;
  std::string resource;         // ARN
  std::string resource_policy;  // its document; empty: none
  RequestContext context;       // all keys, with the sender's own
  std::string message;          // of the AccessDeniedException
  Timestamp time;
  std::uint64_t request = 0;    // of this class; the same for all accesses of one request
  std::string request_id = {};  // empty until the response has one
};

// Any thread may use it.
class RecentDenials {
 public:
  static constexpr std::size_t kDenialsMax = 100;
  // Of all contexts together; a request's keys may be large.
  static constexpr std::size_t kBytesMax = std::size_t{4} * 1024 * 1024;

  // A number for a request whose accesses are added.
  std::uint64_t next_request();
  void add(DeniedAccess denied);
  // Names the request in the response.
  void set_request_id(std::uint64_t request, std::string_view id);
  // The newest first.
  std::vector<DeniedAccess> list() const;
  void clear();

 private:
  struct Entry {
    DeniedAccess denied;
    std::size_t size_bytes;
  };

  mutable std::mutex mutex_;
  std::deque<Entry> entries_;       // guarded by mutex_; the oldest first
  std::size_t size_bytes_ = 0;      // guarded
  std::uint64_t last_request_ = 0;  // guarded
};

}  // namespace stator::access
