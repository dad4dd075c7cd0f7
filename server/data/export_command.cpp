#include "server/data/export_command.h"

#include <atomic>
#include <cstdio>
#include <utility>
#include <vector>

#include "server/data/interrupt.h"
#include "server/data/item_of.h"
#include "server/data/progress.h"
#include "server/data/rate.h"
#include "server/data/table_scan.h"

namespace stator::data {

namespace {

int complain(const std::string& line) {
  std::fputs(("stator: " + line + "\n").c_str(), stderr);
  return 1;
}

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
      sink.add(number, items);
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
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".csv")) return Format::Csv;
  for (const std::string_view ending : {".json", ".jsonl", ".ndjson"})
    if (path.ends_with(ending)) return Format::DynamodbJson;
  return Format::Auto;
}

int run_export(const ExportOptions& options) {
  watch_interrupts();
  DynamodbClient client{options.endpoint};
  const auto table = describe_table(client, options.sink.table);
  if (!table) {
    if (table.error().code != kNoTable) return complain(table.error().text());
    return complain("there is no table '" + options.sink.table + "' at " +
                    address_text(options.endpoint.server));
  }
  auto sink = make_sink(options.sink, *table);
  if (!sink) return complain(sink.error());
  Progress progress{options.sink.table};
  std::atomic<std::uint64_t> count = 0;
  const auto read = read_all(options, *table, **sink, progress, count);
  if (!read) {
    progress.say("stator: " + read.error().text());
    return complain("nothing is in " + options.sink.path + ": it ended after " +
                    counted(count, "item"));
  }
  std::string notes;
  const std::string problem = (*sink)->finish(notes);
  if (!problem.empty()) return complain(problem);
  if (!notes.empty()) progress.say("stator: " + notes);
  const std::string pace = progress.pace(count);
  progress.clear();
  std::fprintf(options.sink.path == "-" ? stderr : stdout, "%s of %s %s\n",
               counted(count, "item").c_str(), options.sink.table.c_str(), pace.c_str());
  return 0;
}

}  // namespace stator::data
