#include "server/access/recent_denials.h"

#include <utility>

namespace stator::access {

namespace {

std::size_t bytes_of(const DeniedAccess& denied) {
  std::size_t bytes = denied.resource_policy.size() + denied.message.size();
  for (const ContextKey& key : denied.context.keys()) {
    bytes += key.name.size();
    for (const std::string& value : key.values) bytes += value.size() + sizeof(std::string);
  }
  return bytes;
}

}  // namespace

std::uint64_t RecentDenials::next_request() {
  const std::scoped_lock lock(mutex_);
  return ++last_request_;
}

void RecentDenials::add(DeniedAccess denied) {
  const std::size_t size_bytes = bytes_of(denied);
  const std::scoped_lock lock(mutex_);
  size_bytes_ += size_bytes;
  entries_.push_back({std::move(denied), size_bytes});
  while (entries_.size() > kDenialsMax || (entries_.size() > 1 && size_bytes_ > kBytesMax)) {
    size_bytes_ -= entries_.front().size_bytes;
    entries_.pop_front();
  }
}

void RecentDenials::set_request_id(std::uint64_t request, std::string_view id) {
  const std::scoped_lock lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.denied.request == request) entry.denied.request_id = id;
  }
}

std::vector<DeniedAccess> RecentDenials::list() const {
  const std::scoped_lock lock(mutex_);
  std::vector<DeniedAccess> found;
  found.reserve(entries_.size());
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
    found.push_back(entry->denied);
  return found;
}

void RecentDenials::clear() {
  const std::scoped_lock lock(mutex_);
  entries_.clear();
  size_bytes_ = 0;
}

}  // namespace stator::access
