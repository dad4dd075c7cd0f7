#include "server/data/export_command.h"

#include <atomic>
#include <utility>
#include <vector>

#include "server/data/formats/item_of.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/progress.h"
#include "server/data/transfer/rate.h"
#include "server/data/transfer/table_scan.h"
#include "server/log/say.h"
#include "server/options/server_address.h"

namespace stator::data {

namespace {

tl::expected<void, Failure> read_all(const ExportOptions& options, const TableInfo& table,
                                     ItemSink& sink, Progress& progress,
                                     std::atomic<std::uint64_t>& count) {
  Rate rate{options.items_per_s};
  const auto read_segment = [&](DynamodbClient& client, unsigned number,
                                const std::function<bool()>& is_over) {
    const auto take = [&, number](const JsonNode& nodes,
                                  const std::string&) -> tl::expected<void, Failure> {
      if (is_over()) return tl::unexpected(Failure{"", "stopped"});
      Arena arena;
      std::vector<Item> items;
      for (const JsonNode& node : nodes.elements()) {
        const auto item = item_of(node, arena);
        if (!item) return tl::unexpected(Failure{"", "an item that was read: " + item.error()});
        items.push_back(*item);
      }
      if (std::string problem = sink.add(number, items); !problem.empty())
        return tl::unexpected(Failure{"", std::move(problem)});
      count += items.size();
      progress.show(count, count, table.item_count);
      rate.pass(items.size());
      return {};
    };
    return scan_segment(client, options.sink.table, {number, options.sink.segments, {}}, take);
  };
  return in_parallel(options.endpoint, options.sink.segments, read_segment);
}

}  // namespace

Format format_of_name(std::string_view path) {
  if (path.ends_with('/')) return Format::Export;
  if (path == "-") return Format::DynamodbJson;
  path.remove_suffix(packing_ending(packing_of_name(path)).size());
  if (path.ends_with(".csv")) return Format::Csv;
  if (path.ends_with(".ion")) return Format::Ion;
  for (const std::string_view ending : {".json", ".jsonl", ".ndjson"})
    if (path.ends_with(ending)) return Format::DynamodbJson;
  return Format::Auto;
}

int run_export(const ExportOptions& options) {
  watch_interrupts();
  DynamodbClient client{options.endpoint};
  const auto table = describe_table(client, options.sink.table);
  if (!table) {
    if (table.error().code != kNoTable) return fail(table.error().text());
    return fail("there is no table '" + options.sink.table + "' at " +
                address_text(options.endpoint.server));
  }
  auto sink = make_sink(options.sink, *table);
  if (!sink) return fail(sink.error());
  Progress progress{options.sink.table};
  std::atomic<std::uint64_t> count = 0;
  const auto read = read_all(options, *table, **sink, progress, count);
  if (!read) {
    progress.say("stator: " + read.error().text());
    return fail("nothing is in " + options.sink.path + ": it ended after " +
                counted(count, "item"));
  }
  std::string notes;
  const std::string problem = (*sink)->finish(notes);
  if (!problem.empty()) return fail(problem);
  if (!notes.empty()) progress.say("stator: " + notes);
  const std::string pace = progress.pace(count);
  progress.clear();
  const std::string line = counted(count, "item") + " of " + options.sink.table + " " + pace;
  if (options.sink.path == "-") {
    progress.say(line);
  } else {
    say(line);
  }
  return 0;
}

}  // namespace stator::data
