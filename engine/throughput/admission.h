// Admission: decides whether requests pass. An event has one or several charges on a table and its
// indexes; all are drawn or none.
//
// First ask() for an event (an item's operation or a page), which changes nothing; then take() it.
// The caller may act in between, and the cost of a page may be known only at the end. If ask()
// throttles the event, call refused(), whether the request is then rejected or (in observe mode)
// served.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/capacity/place.h"
#include "engine/capacity/throttling_reason.h"
#include "engine/seams/clock.h"

namespace stator::capacity {

class ThroughputState;

// One charge of an event. Views; the claim does not own the state.
struct Claim {
  ThroughputState* of = nullptr;  // not null
  Dimension dimension = Dimension::Read;
  Place place = {};
  std::int64_t units_milli = 0;
};

// One entry of ThrottlingReasons, for a table or index that throttles: its first limit that is
// exhausted.
struct Refusal {
  const ThroughputState* of = nullptr;
  ThrottlingReason reason;
};

using Event = std::span<const Claim>;

// The tables and indexes that throttle the event, in the order of its claims; empty if it passes.
// Draws nothing. First applies all changes due by `now`.
std::vector<Refusal> ask(Event event, Timestamp now);
// Fills a vector of the caller, whose memory is reused.
void ask(Event event, Timestamp now, std::vector<Refusal>& refusals);
// REQUIRES: ask() throttled none of these events. take() is draw() and count(). If the request
// fails after draw(), call refund() at the same `now` instead of count().
void take(Event event, Timestamp now);
void draw(Event event, Timestamp now);
void count(Event event);
void refund(Event event);
// Counts the events that ask() throttled; draws no units.
void refused(Event event, std::span<const Refusal> by, Timestamp now);
// Counts an event that passed but did not happen, because another event of its request was
// throttled. It counts as demand; no limit here is charged with throttling it.
void asked_in_vain(Event event);

// Asks for and takes the events in order, all or none of them; counts those throttled. Returns for
// each event who throttles it; all were taken if every entry is empty.
std::vector<std::vector<Refusal>> take_all(std::span<const Event> events, Timestamp now);

}  // namespace stator::capacity
