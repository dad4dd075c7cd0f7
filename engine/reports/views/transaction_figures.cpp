#include "engine/reports/views/transaction_figures.h"

#include <utility>

#include "engine/catalog/catalog.h"
#include "engine/reports/reported_key.h"
#include "engine/state/in_flight_transactions.h"
#include "engine/state/snapshot.h"
#include "engine/storage/stores/token_store.h"

namespace stator {

TransactionFigures transaction_figures(const Snapshot& snapshot, Isolation isolation,
                                       std::size_t flights_max) {
  TransactionFigures figures;
  figures.tokens = storage::count_tokens(snapshot.transaction());
  for (const FlightInfo& info : snapshot.flights(flights_max + 1)) {
    if (figures.flights.size() == flights_max) {
      figures.has_more = true;
      break;
    }
    auto& flight = figures.flights.emplace_back(
        TransactionFigures::Flight{info.number, info.since, info.due, {}});
    for (const FlightInfo::Item& item : info.items) {
      const Table* const table = snapshot.catalog().find(item.table);
      if (table == nullptr) continue;
      auto label = label_of(table->scope, table->region, table->name, isolation);
      if (!label) continue;
      flight.items.push_back(
          {*std::move(label),
           item_key_json(table->partition_key, table->sort_key, item.partition, item.sort)});
    }
  }
  return figures;
}

}  // namespace stator
