// See recent_requests.h.

#include "server/explain/requests/recent_requests.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace stator {

bool RequestRing::take(Slot& slot) {
  // A writer copies at most 10 KiB, but the system may suspend it meanwhile.
  constexpr std::chrono::seconds kPatience{1};
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (slot.is_taken.exchange(true, std::memory_order_acquire)) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

bool RequestRing::copy_turn(std::uint64_t turn, std::uint64_t after, RecentRequest& copy) const {
  const std::size_t now_size = size();
  if (now_size == 0) return false;
  Slot& slot = slot_at(turn % now_size);
  if (!take(slot)) return false;
  const RecentRequest* const request = slot.request.get();
  const bool is_there = request != nullptr && request->turn == turn && request->number > after;
  if (is_there) copy = *request;
  slot.is_taken.store(false, std::memory_order_release);
  return is_there;
}

// Holds all slots while their requests move. A thread that knows the old size may then put one
// where none looks for it, and that one is lost.
void RequestRing::resize(std::size_t size) {
  for (std::size_t i = 0; i * kSegmentSlots < size; ++i) {
    if (segments_[i] == nullptr) segments_[i] = std::make_unique<Slot[]>(kSegmentSlots);
  }
  std::vector<bool> is_held(kRecentRequestsMax);
  std::vector<std::unique_ptr<RecentRequest>> requests;
  for (std::size_t place = 0; place < kRecentRequestsMax; ++place) {
    if (segments_[place / kSegmentSlots] == nullptr || !take(slot_at(place))) continue;
    is_held[place] = true;
    auto& request = slot_at(place).request;
    if (request != nullptr) requests.push_back(std::move(request));
  }
  size_.store(size, std::memory_order_release);
  const std::uint64_t last = last_turn();
  for (auto& request : requests) {
    if (request->turn + size <= last) continue;
    const std::size_t place = request->turn % size;
    if (is_held[place]) slot_at(place).request = std::move(request);
  }
  for (std::size_t place = 0; place < kRecentRequestsMax; ++place) {
    if (is_held[place]) slot_at(place).is_taken.store(false, std::memory_order_release);
  }
}

bool RequestRing::copy_newest(std::uint64_t& turn, RecentRequest& copy) const {
  const std::uint64_t last = last_turn();
  const std::size_t now_size = size();
  while (turn > 0 && turn + now_size > last) {
    if (copy_turn(turn--, 0, copy)) return true;
  }
  return false;
}

bool RequestRing::copy_oldest(std::uint64_t& turn, std::uint64_t after, RecentRequest& copy) const {
  const std::uint64_t last = last_turn();
  if (const std::size_t now_size = size(); last >= now_size)
    turn = std::max(turn, last - now_size + 1);
  while (turn <= last) {
    if (copy_turn(turn++, after, copy)) return true;
  }
  return false;
}

namespace {

// The request of a ring that comes next in one direction; its number is 0 if there is none.
struct Head {
  const RequestRing& ring;
  std::uint64_t turn;
  std::unique_ptr<RecentRequest> request = std::make_unique<RecentRequest>();

  void go_back() {
    if (!ring.copy_newest(turn, *request)) request->number = 0;
  }
  // Turns may differ from the order of numbers, so later ones than `newest` do not end the search.
  void go_on(std::uint64_t after, std::uint64_t newest) {
    while (ring.copy_oldest(turn, after, *request)) {
      if (request->number <= newest) return;
    }
    request->number = 0;
  }
};

template <class Rings>
std::vector<Head> heads_of(const Rings& rings) {
  std::vector<Head> heads;
  heads.reserve(rings.size());
  for (const RequestRing& ring : rings) heads.push_back({ring, ring.last_turn()});
  return heads;
}

}  // namespace

std::uint64_t RecentRequests::look(const std::function<bool(const RecentRequest&)>& look) const {
  // Every request up to this number is in a slot, or its writer holds that slot. Turns are read
  // after it, so they cover all of these.
  const std::uint64_t newest = last_number_.load();
  std::vector<Head> heads = heads_of(rings_);
  for (Head& head : heads) head.go_back();
  for (;;) {
    Head& head = *std::max_element(heads.begin(), heads.end(), [](const Head& a, const Head& b) {
      return a.request->number < b.request->number;
    });
    if (head.request->number == 0) return newest;
    if (head.request->number <= newest && !look(*head.request)) return newest;
    head.go_back();
  }
}

RecentRequests::Progress RecentRequests::follow(
    const std::function<bool(const RecentRequest&)>& look, std::uint64_t after) const {
  const std::uint64_t newest = last_number_.load();
  if (after > newest) after = 0;  // it is from an earlier process
  std::vector<Head> heads = heads_of(rings_);
  for (Head& head : heads) {
    head.turn = 1;
    head.go_on(after, newest);
  }
  std::uint64_t passed = 0;
  for (;;) {
    // The smallest number; 0, for no request, becomes the largest.
    Head& head = *std::min_element(heads.begin(), heads.end(), [](const Head& a, const Head& b) {
      return a.request->number - 1 < b.request->number - 1;
    });
    const std::uint64_t number = head.request->number;
    const bool is_end = number == 0;
    if (is_end || !look(*head.request)) {
      const std::uint64_t last = is_end ? newest : number - 1;
      const std::uint64_t numbers = last - after;
      return {last, numbers - std::min(numbers, passed)};
    }
    ++passed;
    head.go_on(after, newest);
  }
}

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
