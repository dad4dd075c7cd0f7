#include "engine/throughput/admission.h"

#include <algorithm>
#include <optional>

#include "engine/throughput/throughput_state.h"

namespace stator::capacity {
namespace {

bool is_first_of_its_state(Event event, const Claim& claim) {
  const auto first = std::find_if(event.begin(), event.end(),
                                  [&claim](const Claim& other) { return other.of == claim.of; });
  return &*first == &claim;
}

std::optional<Limit> refusing_limit(Event event, const Claim& claim, Timestamp now) {
  if (const auto limit = claim.of->exhausted(claim.dimension, now)) return limit;
  const bool is_served = std::all_of(event.begin(), event.end(), [&](const Claim& other) {
    return other.of != claim.of || claim.of->partitions().serves(other.dimension, other.place, now);
  });
  if (!is_served) return Limit::KeyRangeThroughput;
  return std::nullopt;
}

// Of several claims on one table or index, the one that the throttling counts for: the first, or
// the first whose partition does not serve it.
bool is_to_blame(Event event, const Claim& claim, Limit limit, Timestamp now) {
  if (limit != Limit::KeyRangeThroughput) return is_first_of_its_state(event, claim);
  const auto first = std::find_if(event.begin(), event.end(), [&claim, now](const Claim& other) {
    return other.of == claim.of &&
           !other.of->partitions().serves(other.dimension, other.place, now);
  });
  return first != event.end() && &*first == &claim;
}

}  // namespace

void ask(Event event, Timestamp now, std::vector<Refusal>& refusals) {
  refusals.clear();
  for (const Claim& claim : event) claim.of->settle(now);
  for (const Claim& claim : event) {
    if (!is_first_of_its_state(event, claim)) continue;
    if (const auto limit = refusing_limit(event, claim, now)) {
      refusals.push_back({claim.of, {claim.of->is_index(), claim.dimension, *limit}});
    }
  }
}

std::vector<Refusal> ask(Event event, Timestamp now) {
  std::vector<Refusal> refusals;
  ask(event, now, refusals);
  return refusals;
}

void draw(Event event, Timestamp now) {
  for (const Claim& claim : event) {
    claim.of->draw(claim.dimension, claim.place, claim.units_milli, now);
  }
}

void count(Event event) {
  for (const Claim& claim : event) {
    claim.of->count_consumed(claim.dimension, claim.place, claim.units_milli);
  }
}

void refund(Event event) {
  for (const Claim& claim : event) {
    claim.of->refund(claim.dimension, claim.place, claim.units_milli);
  }
}

void take(Event event, Timestamp now) {
  draw(event, now);
  count(event);
}

void refused(Event event, std::span<const Refusal> by, Timestamp now) {
  for (const Claim& claim : event) {
    const auto refusal = std::find_if(
        by.begin(), by.end(), [&claim](const Refusal& known) { return known.of == claim.of; });
    std::optional<Limit> limit;
    if (refusal != by.end() && is_to_blame(event, claim, refusal->reason.limit, now)) {
      limit = refusal->reason.limit;
    }
    claim.of->count_refused(claim.dimension, claim.place, claim.units_milli, limit, now);
  }
}

void asked_in_vain(Event event) {
  for (const Claim& claim : event) {
    claim.of->count_refused(claim.dimension, claim.place, claim.units_milli, std::nullopt,
                            Timestamp());
  }
}

std::vector<std::vector<Refusal>> take_all(std::span<const Event> events, Timestamp now) {
  std::vector<std::vector<Refusal>> refusals;
  bool pass = true;
  for (const Event event : events) {
    refusals.push_back(ask(event, now));
    pass = pass && refusals.back().empty();
    if (refusals.back().empty()) draw(event, now);
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (pass) {
      count(events[i]);
    } else if (refusals[i].empty()) {
      refund(events[i]);
      asked_in_vain(events[i]);
    } else {
      refused(events[i], refusals[i], now);
    }
  }
  return refusals;
}

}  // namespace stator::capacity
