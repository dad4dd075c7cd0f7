// See recent_requests.h.

#include "server/explain/recent_requests.h"

namespace stator {

std::unique_ptr<RecentRequest> RecentRequests::find(std::string_view id) const {
  std::unique_ptr<RecentRequest> found;
  look([&](const RecentRequest& request) {
    if (request.text(RecentRequest::Part::Id) != id) return true;
    found = std::make_unique<RecentRequest>(request);
    return false;
  });
  return found;
}

}  // namespace stator
