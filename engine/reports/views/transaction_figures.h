// Transactions in flight (Settings::transaction_time), for reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/call/settings.h"
#include "engine/reports/figures.h"
#include "engine/seams/clock.h"

namespace stator {

class Snapshot;

struct TransactionFigures {
  struct Item {
    TableLabel label;
    std::string key_json;  // as on the wire
  };
  struct Flight {
    std::uint64_t number;  // in the order of beginning, of this process
    Timestamp since;
    Timestamp due;  // its commit
    std::vector<Item> items;
  };

  std::vector<Flight> flights;  // in the order of beginning
  bool has_more = false;        // there are more than were asked for
  std::uint64_t tokens = 0;     // stored client tokens, of all tables; expired ones included
};

TransactionFigures transaction_figures(const Snapshot& snapshot, Isolation isolation,
                                       std::size_t flights_max);

}  // namespace stator
