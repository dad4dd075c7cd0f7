// Whether requests pass: one charge or several, of a table and its indexes, taken all or not at
// all.
//
// An event (an item's operation, or a page) is asked for first, which changes nothing, and then
// taken; so who asks may do something in between, and what a page costs may be known only
// afterwards. When it does not pass, refused() counts it, whether the request is then refused or
// (observing) served.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/capacity/place.h"
#include "engine/capacity/throttling_reason.h"
#include "engine/capacity/throughput_state.h"
#include "engine/seams/clock.h"

namespace stator::capacity {

// One charge of an event. Views, and the state is not owned.
struct Claim {
  ThroughputState* of = nullptr;  // not null
  Dimension dimension = Dimension::Read;
  Place place = {};
  std::int64_t units_milli = 0;
};

// One entry of ThrottlingReasons: one for each table or index that refuses, with the first limit
// that does.
struct Refusal {
  const ThroughputState* of = nullptr;
  ThrottlingReason reason;
};

using Event = std::span<const Claim>;

// Who refuses the event, in the order of its claims; empty: it passes. Nothing is taken. What is
// due in the tables happens first.
std::vector<Refusal> ask(Event event, Timestamp now);
// The same into a vector that was used before, which keeps its memory.
void ask(Event event, Timestamp now, std::vector<Refusal>& refusals);
// REQUIRES: it was asked for, and passed. draw() and count() do the two halves of it: what is drawn
// and then comes to nothing is given back at the same moment instead of being counted.
void take(Event event, Timestamp now);
void draw(Event event, Timestamp now);
void count(Event event);
void give_back(Event event);
// Counts what ask() refused. Consumes nothing.
void refused(Event event, std::span<const Refusal> by, Timestamp now);
// Counts what passed and came to nothing, because others that belong to it were refused: as asked
// for, and refused by nothing here.
void asked_in_vain(Event event);

// Asks for and takes the events one behind another, all or none of them; what is refused is
// counted. For each event who refuses it; all empty: they are taken.
std::vector<std::vector<Refusal>> take_all(std::span<const Event> events, Timestamp now);

}  // namespace stator::capacity
