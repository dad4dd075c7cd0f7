// The reads of a model run.
//
// The order of partitions in a scan and of entries with equal index keys is the service's own
// affair. So a read is preceded by a plain one of the same range, which is checked for what does
// hold (all of it, once, partitions together, sort keys in order) and then predicts the pages,
// filters and projections of the read proper exactly.
#include <algorithm>
#include <array>

#include "tests/model/data_plane/runs/run.h"

namespace stator::model {
namespace {

// A page ends somewhere around 1 MB; where exactly is the service's own affair too.
constexpr std::size_t kPageBytesMin = 900'000;
constexpr std::size_t kPageBytesMax = 1'200'000;
constexpr std::size_t kReadBlockBytes = 4096;
constexpr std::size_t kBatchKeysMax = 100;

std::vector<KeyAttribute> sort_keys_of(const TableSchema& schema, const IndexSchema* index) {
  if (index != nullptr) return index->sort_keys;
  return schema.sort_key ? std::vector{*schema.sort_key} : std::vector<KeyAttribute>{};
}
std::vector<KeyAttribute> partition_keys_of(const TableSchema& schema, const IndexSchema* index) {
  return index != nullptr ? index->partition_keys : std::vector{schema.partition_key};
}

KeyValues values_of(const std::vector<KeyAttribute>& keys, const Item& item) {
  KeyValues values;
  for (const KeyAttribute& key : keys) values.push_back(item.at(key.name));
  return values;
}

// Set members and the like aside, answers print values in one way: these may stand for them.
std::string print(const KeyValues& values) {
  std::string text;
  for (const Value& value : values) text += to_json(value).print();
  return text;
}

std::size_t whole_blocks(std::size_t size_bytes) {
  return (size_bytes + kReadBlockBytes - 1) / kReadBlockBytes * kReadBlockBytes;
}

// Segments are cut at 12-bit prefixes of the hash.
constexpr std::size_t kPrefixes = 4096;
std::size_t first_prefix(std::size_t segment, std::size_t total) {
  return (kPrefixes * segment + total - 1) / total;
}

const Json& member(const Json& answer, const std::string& name) {
  static const Json kNone = Json::null();
  const Json* found = answer.find(name);
  return found != nullptr ? *found : kNone;
}

Json attribute_names(const std::vector<Path>& paths) {
  Json list = Json::list();
  for (const Path& path : paths) list.array.push_back(Json::string(path[0].name));
  return list;
}

}  // namespace

void Run::get() {
  LiveTable& table = any_table();
  const Item key = near_key(table);
  const Item* stored = table.model.find(table.model.key_values(key));
  Json request;
  request["TableName"] = Json::string(table.model.schema().name);
  request["Key"] = to_request(key, dice_);
  const std::string capacity = random_capacity(request);
  const bool is_consistent = dice_.percent(50);
  if (is_consistent) request["ConsistentRead"] = Json::boolean(true);

  std::vector<Path> paths;
  const Scope scope = generator_.scope(table.model, nullptr);
  ExpressionPrinter printer(dice_);
  if (dice_.percent(40)) {
    paths = generator_.projection(scope);
    request["ProjectionExpression"] = Json::string(printer.projection(paths));
    printer.finish(request);
  } else if (dice_.percent(20)) {
    paths = generator_.attributes(scope);
    request["AttributesToGet"] = attribute_names(paths);
  }

  Json expected;
  if (stored != nullptr) {
    expected["Item"] = to_json(paths.empty() ? *stored : project(*stored, paths));
  }
  if (!capacity.empty()) {
    Units units;
    units.table = read_units(stored != nullptr ? size_bytes(*stored) : 0, is_consistent);
    expected["ConsumedCapacity"] = consumed_json(capacity, table.model.schema().name, units);
  }
  expect("GetItem", request, expected);
}

void Run::batch_get() {
  struct Asked {
    std::vector<Path> paths;
    bool is_consistent = false;
    std::map<std::string, Item> keys;  // by how an answer prints them
  };
  std::map<LiveTable*, Asked> asked;
  Json request;
  const std::string capacity = random_capacity(request);
  for (std::size_t i = dice_.between(1, dice_.percent(20) ? kBatchKeysMax : 12); i > 0; --i) {
    LiveTable& table = any_table();
    const Item key = near_key(table);
    if (!asked[&table].keys.emplace(to_json(key).print(), key).second) continue;
    Json& part = request["RequestItems"][table.model.schema().name];
    part["Keys"].kind = Json::Kind::Array;
    part["Keys"].array.push_back(to_request(key, dice_));
  }
  for (auto& [table, ask] : asked) {
    Json& part = request["RequestItems"][table->model.schema().name];
    ask.is_consistent = dice_.percent(40);
    if (ask.is_consistent) part["ConsistentRead"] = Json::boolean(true);
    if (dice_.percent(40)) {
      const Scope scope = generator_.scope(table->model, nullptr);
      ExpressionPrinter printer(dice_);
      ask.paths = dice_.percent(70) ? generator_.projection(scope) : generator_.attributes(scope);
      part["ProjectionExpression"] = Json::string(printer.projection(ask.paths));
      printer.finish(part);
    }
  }

  for (bool is_done = false; !is_done;) {
    const Json answer = call("BatchGetItem", request);
    const Json& unprocessed = member(answer, "UnprocessedKeys");
    Json expected;
    expected["UnprocessedKeys"] = unprocessed;
    std::map<std::string, Units> consumed;
    std::map<std::string, std::vector<std::string>> expected_items;
    std::size_t read_bytes = 0;
    for (auto& [table, ask] : asked) {
      const std::string& name = table->model.schema().name;
      if (request["RequestItems"].find(name) == nullptr) continue;
      std::map<std::string, Item> left;
      for (const Json& key : member(member(unprocessed, name), "Keys").array) {
        const auto found = ask.keys.find(key.print());
        if (found == ask.keys.end()) differ("BatchGetItem", request, "a key asked", key.print());
        left.insert(ask.keys.extract(found));
      }
      auto& items = expected_items[name];
      for (const auto& [text, key] : ask.keys) {
        const Item* stored = table->model.find(table->model.key_values(key));
        const std::size_t bytes = stored != nullptr ? size_bytes(*stored) : 0;
        consumed[name].table += read_units(bytes, ask.is_consistent);
        read_bytes += bytes;
        if (stored == nullptr) continue;
        items.push_back(to_json(ask.paths.empty() ? *stored : project(*stored, ask.paths)).print());
      }
      // Nothing was read of a table that is wholly left over.
      if (ask.keys.empty()) consumed.erase(name);
      ask.keys = std::move(left);
    }
    is_done = unprocessed.object.empty();
    if (!is_done && read_bytes < kPageBytesMin) {
      differ("BatchGetItem", request, "everything read", answer.print());
    }
    Json actual = answer;
    for (auto& [name, items] : expected_items) {
      Json& list = expected["Responses"][name] = Json::list();
      std::sort(items.begin(), items.end());
      for (const std::string& item : items) list.array.push_back(Json::string(item));
      if (Json* shown = &actual["Responses"][name]; shown->kind == Json::Kind::Array) {
        for (Json& item : shown->array) item = Json::string(item.print());
        std::sort(shown->array.begin(), shown->array.end(),
                  [](const Json& a, const Json& b) { return a.text < b.text; });
      }
    }
    if (!capacity.empty()) {
      Json& list = expected["ConsumedCapacity"] = Json::list();
      for (const auto& [name, units] : consumed) {
        list.array.push_back(consumed_json(capacity, name, units));
      }
    }
    compare("BatchGetItem", request, expected, actual);
    request["RequestItems"] = unprocessed;
    if (!is_done) count("batch continued");
  }
}

// --- The order of a range ------------------------------------------------------------------------

// Reads a whole table or index (`condition` is nullptr) or the range of a key condition, which
// `base` prints, in its own order and without anything else.
Run::Sequence Run::learn(LiveTable& table, const IndexSchema* index, const Json& base,
                         const KeyCondition* condition) {
  const TableModel& model = table.model;
  const std::string_view operation = condition != nullptr ? "Query" : "Scan";
  Json request = base;
  request["TableName"] = Json::string(model.schema().name);
  if (index != nullptr) request["IndexName"] = Json::string(index->name);

  std::map<std::string, std::string> expected;  // entries by their table key
  for (const auto& [key, item] : model.items()) {
    const auto entry = index != nullptr ? model.entry(*index, item) : std::optional(item);
    if (!entry || (condition != nullptr && !matches(*condition, *entry))) continue;
    expected[to_json(model.key_of(item)).print()] = to_json(*entry).print();
  }
  std::map<std::string, KeyValues> key_of_text;
  for (const auto& [key, item] : model.items()) {
    key_of_text[to_json(model.key_of(item)).print()] = key;
  }

  Sequence sequence;
  for (bool is_done = false; !is_done;) {
    const Json answer = call(operation, request);
    for (const Json& item : member(answer, "Items").array) {
      Json key;
      key["pk"] = member(item, "pk");
      if (model.schema().sort_key) key["sk"] = member(item, "sk");
      const std::string text = key.print();
      const auto found = expected.find(text);
      if (found == expected.end()) differ(operation, request, "only what is there, once", text);
      if (found->second != item.print()) {
        differ(operation, request, found->second, item.print());
      }
      expected.erase(found);
      sequence.push_back(key_of_text.at(text));
    }
    const Json* last = answer.find("LastEvaluatedKey");
    is_done = last == nullptr;
    if (!is_done) request["ExclusiveStartKey"] = *last;
  }
  if (!expected.empty()) differ(operation, request, expected.begin()->second, "it is missing");
  check_order(table, index, request, sequence, condition != nullptr);
  return sequence;
}

void Run::check_order(LiveTable& table, const IndexSchema* index, const Json& request,
                      const Sequence& sequence, bool is_query) {
  const TableSchema& schema = table.model.schema();
  const auto partition_keys = partition_keys_of(schema, index);
  const auto sort_keys = sort_keys_of(schema, index);
  std::vector<std::string> partitions;
  KeyValues sort_before;
  for (const KeyValues& key : sequence) {
    const Item& item = *table.model.find(key);
    const std::string partition = print(values_of(partition_keys, item));
    KeyValues sort = values_of(sort_keys, item);
    if (partitions.empty() || partitions.back() != partition) {
      partitions.push_back(partition);
    } else if (KeyOrder{}(sort, sort_before)) {
      differ(is_query ? "Query" : "Scan", request, "sort keys in order", print(sort));
    }
    sort_before = std::move(sort);
  }
  if (!is_query) check_scan_order(table, index, request, partitions);
}

// Partitions come together and in an order that never changes.
void Run::check_scan_order(LiveTable& table, const IndexSchema* index, const Json& request,
                           const std::vector<std::string>& partitions) {
  if (std::set(partitions.begin(), partitions.end()).size() != partitions.size()) {
    differ("Scan", request, "each partition once", "one comes again");
  }
  // A local index stands in the table's partitions.
  auto& known = table.scan_order[index != nullptr && index->is_global ? index->name : ""];
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    for (std::size_t k = i + 1; k < partitions.size(); ++k) {
      if (known.contains({partitions[k], partitions[i]})) {
        differ("Scan", request, partitions[k] + " before " + partitions[i], "it is behind");
      }
      known.emplace(partitions[i], partitions[k]);
    }
  }
}

// --- Query and Scan ------------------------------------------------------------------------------

Run::Read Run::plan(bool is_query) {
  Read read;
  read.is_query = is_query;
  read.table = &any_table();
  const auto& indexes = read.table->model.schema().indexes;
  if (!indexes.empty() && dice_.percent(55)) read.index = &dice_.any(indexes);
  read.request["TableName"] = Json::string(read.table->model.schema().name);
  if (read.index != nullptr) read.request["IndexName"] = Json::string(read.index->name);
  read.capacity = random_capacity(read.request);
  read.is_consistent = (read.index == nullptr || !read.index->is_global) && dice_.percent(40);
  if (read.is_consistent) read.request["ConsistentRead"] = Json::boolean(true);
  if (dice_.percent(50)) {
    read.limit = dice_.percent(70) ? dice_.between(1, 6) : dice_.between(7, 80);
    read.request["Limit"] = Json::number(std::to_string(read.limit));
  }
  return read;
}

void Run::plan_filter(Read& read, bool is_legacy, ExpressionPrinter& printer, const Item* sample) {
  read.keeps = [](const Item&) { return true; };
  if (dice_.percent(50)) return;
  const TableModel& model = read.table->model;
  std::set<std::string> banned;
  if (read.is_query) {
    for (const auto& key : partition_keys_of(model.schema(), read.index)) banned.insert(key.name);
    for (const auto& key : sort_keys_of(model.schema(), read.index)) banned.insert(key.name);
  }
  // What an index does not carry is refused by a query, and missing in a scan.
  const bool is_open = dice_.percent(15);
  const Scope scope = generator_.scope(model, is_open ? nullptr : read.index, banned);
  if (scope.names.empty()) return;
  count("filtered");
  if (is_legacy) {
    const LegacyConditions conditions = generator_.legacy_conditions(scope, sample);
    print_legacy_conditions(conditions, read.is_query ? "QueryFilter" : "ScanFilter", read.request,
                            dice_);
    for (const LegacyEntry& entry : conditions.entries) read.filtered.push_back(entry.attribute);
    std::sort(read.filtered.begin(), read.filtered.end());  // as they are sent
    read.keeps = [conditions](const Item& stored) { return matches(conditions, stored); };
  } else {
    const Condition condition = generator_.condition(scope, sample, 3);
    read.request["FilterExpression"] = Json::string(printer.condition(condition));
    read.filtered = attributes_of(condition);
    read.keeps = [condition](const Item& stored) { return matches(condition, stored); };
  }
}

void Run::plan_select(Read& read, bool is_legacy, ExpressionPrinter& printer) {
  const TableModel& model = read.table->model;
  const IndexSchema* index = read.index;
  const auto select = [&](const char* name) { read.request["Select"] = Json::string(name); };
  const auto entry = [&model, index](const Item& stored) {
    return index != nullptr ? *model.entry(*index, stored) : stored;
  };
  const bool is_partial = index != nullptr && index->projection != ProjectionType::All;
  read.shape = entry;
  switch (dice_.below(6)) {
    case 0:
      select("COUNT");
      read.is_count = true;
      return;
    case 1:
      if (is_partial && index->is_global) return;
      select("ALL_ATTRIBUTES");
      read.fetches = is_partial;
      read.shape = [](const Item& stored) { return stored; };
      return;
    case 2:
      if (index != nullptr) select("ALL_PROJECTED_ATTRIBUTES");
      return;
    case 3:
    case 4: {
      // A global index gives only what it stores.
      const bool is_closed = index != nullptr && index->is_global;
      const Scope scope = generator_.scope(model, is_closed ? index : nullptr);
      const std::vector<Path> paths =
          is_legacy ? generator_.attributes(scope) : generator_.projection(scope);
      if (is_legacy) {
        read.request["AttributesToGet"] = attribute_names(paths);
      } else {
        read.request["ProjectionExpression"] = Json::string(printer.projection(paths));
      }
      if (dice_.percent(30)) select("SPECIFIC_ATTRIBUTES");
      read.fetches = is_partial && std::any_of(paths.begin(), paths.end(), [&](const Path& path) {
                       return !model.is_projected(*index, path[0].name);
                     });
      read.shape = [paths](const Item& stored) { return project(stored, paths); };
      return;
    }
    default:
      return;
  }
}

// What the read evaluates of an item.
Item Run::seen(const Read& read, const KeyValues& key) const {
  const TableModel& model = read.table->model;
  const Item& stored = *model.find(key);
  return read.index != nullptr ? *model.entry(*read.index, stored) : stored;
}

// Of what the filter names, what the index does not carry: each once, as the message lists it.
std::string Run::not_carried(const Read& read) const {
  std::string list;
  std::set<std::string> seen_names;
  for (const std::string& name : read.filtered) {
    if (read.index == nullptr || read.table->model.is_projected(*read.index, name)) continue;
    if (seen_names.insert(name).second) list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

// How far a page filled its room.
std::size_t Run::page_bytes(const Read& read, const Sequence& sequence, std::size_t start,
                            std::size_t evaluated) const {
  std::size_t bytes = 0;
  std::size_t fetched_bytes = 0;
  for (std::size_t i = start; i < start + evaluated; ++i) {
    bytes += size_bytes(seen(read, sequence[i]));
    if (read.fetches)
      fetched_bytes += whole_blocks(size_bytes(*read.table->model.find(sequence[i])));
  }
  return fetched_bytes == 0 ? bytes : whole_blocks(bytes) + fetched_bytes;
}

// The units of one page. `begins`: at the beginning of the range, not behind an item; `ends`: at
// its end, not at an item.
Units Run::page_units(const Read& read, const Sequence& sequence, std::size_t start,
                      std::size_t evaluated, bool begins, bool ends) const {
  Units units;
  std::int64_t own = 0;
  std::size_t bytes = 0;
  std::size_t place = read.first_place;
  const auto go_to = [&](std::size_t next) {
    for (; place < next; ++place) {
      own += read_units(bytes, read.is_consistent);
      bytes = 0;
    }
  };
  if (!begins && !read.places.empty()) place = read.places[start - 1];
  for (std::size_t i = start; i < start + evaluated; ++i) {
    if (!read.places.empty()) go_to(read.places[i]);
    bytes += size_bytes(seen(read, sequence[i]));
    if (!read.fetches) continue;
    units.table += read_units(size_bytes(*read.table->model.find(sequence[i])), read.is_consistent);
  }
  if (ends) go_to(read.last_place);
  own += read_units(bytes, read.is_consistent);
  if (read.index == nullptr) {
    units.table = own;
  } else if (read.index->is_global) {
    units.global_indexes[read.index->name] = own;
  } else {
    units.local_indexes[read.index->name] = own;
  }
  return units;
}

// Tables on demand have four partitions, equal parts of the hash space, and so have their global
// indexes: a scan in four segments tells what lies in each.
void Run::learn_places(Read& read, const Sequence& sequence) {
  const TableModel& model = read.table->model;
  if (!model.schema().is_on_demand) return;
  const bool is_global = read.index != nullptr && read.index->is_global;
  auto& known = read.table->quarters[is_global ? read.index->name : ""];
  const auto partition_keys = partition_keys_of(model.schema(), read.index);
  const auto partition_of = [&](const KeyValues& key) {
    return print(values_of(partition_keys, *model.find(key)));
  };
  const bool is_known = std::all_of(sequence.begin(), sequence.end(), [&](const KeyValues& key) {
    return known.contains(partition_of(key));
  });
  Json request;
  request["TableName"] = Json::string(model.schema().name);
  if (read.index != nullptr) request["IndexName"] = Json::string(read.index->name);
  request["TotalSegments"] = Json::number("4");
  std::size_t start = 0;
  for (std::size_t segment = 0; segment < 4 && !is_known; ++segment) {
    request["Segment"] = Json::number(std::to_string(segment));
    for (bool is_done = false; !is_done;) {
      const Json answer = call("Scan", request);
      for (std::size_t i = member(answer, "Items").array.size(); i > 0; --i) {
        if (start == sequence.size()) differ("Scan", request, "no item more", answer.print());
        known[partition_of(sequence[start++])] = segment;
      }
      is_done = answer.find("LastEvaluatedKey") == nullptr;
      if (!is_done) request["ExclusiveStartKey"] = *answer.find("LastEvaluatedKey");
    }
    request.object.erase("ExclusiveStartKey");
  }
  for (const KeyValues& key : sequence) read.places.push_back(known[partition_of(key)]);
  read.last_place = 3;
}

// One request, compared with the part of the sequence that it evaluated. `is_all`: the sequence
// ends where the range does, so the page's length is known too.
Run::Page Run::page(Read& read, const Json& request, const Sequence& sequence, std::size_t start,
                    bool is_all) {
  const TableModel& model = read.table->model;
  const Json answer = call(read.operation(), request);
  Page page;
  page.evaluated = std::stoul("0" + member(answer, "ScannedCount").text);
  const std::size_t left = sequence.size() - start;
  const std::size_t most = read.limit == 0 ? left : std::min(left, read.limit);
  if (page.evaluated > most) {
    differ(read.operation(), request, "at most " + std::to_string(most) + " evaluated",
           answer.print());
  }
  const std::size_t room = page_bytes(read, sequence, start, page.evaluated);
  const bool has_last = answer.find("LastEvaluatedKey") != nullptr;
  const bool may_be_cut = room >= kPageBytesMin;
  const bool is_limited = read.limit != 0 && page.evaluated == read.limit && !read.is_one_item;
  if (is_all && page.evaluated < most && !may_be_cut) {
    differ(read.operation(), request, std::to_string(most) + " evaluated", answer.print());
  }
  if (page.evaluated > 0 && page_bytes(read, sequence, start, page.evaluated - 1) > kPageBytesMax) {
    differ(read.operation(), request, "a page of 1 MB at most", answer.print());
  }

  Json expected;
  Json items = Json::list();
  std::size_t kept = 0;
  for (std::size_t i = start; i < start + page.evaluated; ++i) {
    const bool is_whole = read.fetches;
    if (!read.keeps(is_whole ? *model.find(sequence[i]) : seen(read, sequence[i]))) continue;
    ++kept;
    if (!read.is_count) items.array.push_back(to_json(read.shape(*model.find(sequence[i]))));
  }
  expected["Count"] = Json::number(std::to_string(kept));
  expected["ScannedCount"] = Json::number(std::to_string(page.evaluated));
  if (!read.is_count) expected["Items"] = std::move(items);
  if (is_limited || (has_last && may_be_cut)) {
    const Item& last = *model.find(sequence[start + page.evaluated - 1]);
    page.last_key = expected["LastEvaluatedKey"] = to_json(model.position(read.index, last));
  }
  if (!read.capacity.empty()) {
    const bool begins = request.find("ExclusiveStartKey") == nullptr;
    const Units units = page_units(read, sequence, start, page.evaluated, begins, !page.last_key);
    expected["ConsumedCapacity"] = consumed_json(read.capacity, model.schema().name, units);
  }
  compare(read.operation(), request, expected, answer);
  counts_["items evaluated"] += page.evaluated;
  counts_["items kept"] += kept;
  if (has_last && !is_limited) count("page cut at 1 MB");
  return page;
}

// All pages from one place of the sequence on.
void Run::walk(Read& read, Sequence sequence, std::size_t start) {
  Json request = read.request;
  for (;;) {
    const Page met = page(read, request, sequence, start, true);
    start += met.evaluated;
    if (!met.last_key) break;
    request["ExclusiveStartKey"] = *met.last_key;
    // The start key need not be there any more.
    if (dice_.percent(5)) {
      quiet_delete(*read.table, sequence[start - 1]);
      count("start key deleted");
    }
  }
  if (start != sequence.size()) {
    differ(read.operation(), request, "a page more", "the read has ended");
  }
}

void Run::query() {
  Read read = plan(true);
  LiveTable& table = *read.table;
  const TableModel& model = table.model;

  // Conditions come from an item that is there, as a rule.
  const Item* sample = nullptr;
  if (!model.items().empty() && dice_.percent(90)) {
    auto found = model.items().begin();
    std::advance(found, static_cast<long>(dice_.below(model.items().size())));
    const bool is_inside = read.index == nullptr || model.entry(*read.index, found->second);
    if (is_inside) sample = &found->second;
  }
  const KeyCondition condition = generator_.key_condition(model.schema(), read.index, sample);
  const bool is_legacy = condition.parts.size() <= 2 && dice_.percent(20) &&
                         (read.index == nullptr || read.index->partition_keys.size() == 1) &&
                         sort_keys_of(model.schema(), read.index).size() <= 1;
  read.is_one_item = read.index == nullptr && condition.parts.back().comparison == "EQ" &&
                     condition.parts.size() == (model.schema().sort_key ? 2 : 1);
  Json base;
  {
    ExpressionPrinter printer(dice_);
    base["KeyConditionExpression"] = Json::string(printer.key_condition(condition));
    printer.finish(base);
  }
  Sequence sequence = learn(table, read.index, base, &condition);

  ExpressionPrinter printer(dice_);
  if (is_legacy) {
    print_legacy_key_condition(condition, read.request, dice_);
  } else {
    read.request["KeyConditionExpression"] = Json::string(printer.key_condition(condition));
  }
  plan_filter(read, is_legacy, printer, sample);
  plan_select(read, is_legacy, printer);
  printer.finish(read.request);
  if (const std::string names = not_carried(read); !names.empty() && !read.fetches) {
    return expect_validation(
        "Query", read.request,
        {"One or more parameter values were invalid: Secondary index " + read.index->name +
         " does not project one or more filter attributes: [" + names + "]"});
  }
  if (dice_.percent(40)) {
    std::reverse(sequence.begin(), sequence.end());
    read.request["ScanIndexForward"] = Json::boolean(false);
  } else if (dice_.percent(20)) {
    read.request["ScanIndexForward"] = Json::boolean(true);
  }
  std::size_t start = 0;
  // Begin behind some item of the range.
  const bool is_one = condition.parts.size() == 2 && condition.parts[1].comparison == "EQ";
  if (!sequence.empty() && dice_.percent(15) && model.schema().sort_key && !is_one) {
    start = 1 + dice_.below(sequence.size());
    const Item& last = *model.find(sequence[start - 1]);
    read.request["ExclusiveStartKey"] = to_request(model.position(read.index, last), dice_);
  }
  walk(read, std::move(sequence), start);
}

void Run::scan() {
  Read read = plan(false);
  const TableModel& model = read.table->model;
  const bool is_legacy = dice_.percent(20);
  const Sequence sequence = learn(*read.table, read.index, {}, nullptr);
  const Item* sample =
      sequence.empty() ? nullptr : model.find(sequence[dice_.below(sequence.size())]);
  ExpressionPrinter printer(dice_);
  plan_filter(read, is_legacy, printer, sample);
  plan_select(read, is_legacy, printer);
  printer.finish(read.request);
  learn_places(read, sequence);
  if (dice_.percent(35)) return scan_segments(read, sequence);
  walk(read, sequence, 0);
}

// Segments one after the other are the whole scan, and none ends inside a partition.
void Run::scan_segments(Read& read, const Sequence& sequence) {
  const TableModel& model = read.table->model;
  const auto partition_keys = partition_keys_of(model.schema(), read.index);
  const auto partition_at = [&](std::size_t i) {
    return print(values_of(partition_keys, *model.find(sequence[i])));
  };
  const std::size_t total = dice_.percent(90) ? dice_.between(1, 9) : dice_.between(10, 40);
  std::size_t start = 0;
  for (std::size_t segment = 0; segment < total; ++segment) {
    Json request = read.request;
    request["Segment"] = Json::number(std::to_string(segment));
    request["TotalSegments"] = Json::number(std::to_string(total));
    if (model.schema().is_on_demand) {
      read.first_place = first_prefix(segment, total) * 4 / kPrefixes;
      read.last_place = (first_prefix(segment + 1, total) - 1) * 4 / kPrefixes;
    }
    for (bool is_done = false; !is_done;) {
      const Page met = page(read, request, sequence, start, false);
      start += met.evaluated;
      is_done = !met.last_key;
      if (!is_done) request["ExclusiveStartKey"] = *met.last_key;
    }
    if (start > 0 && start < sequence.size() && partition_at(start - 1) == partition_at(start)) {
      differ("Scan", request, "a segment of whole partitions", partition_at(start));
    }
  }
  if (start != sequence.size()) {
    differ("Scan", read.request, "all items in some segment", "one is missing");
  }
}

}  // namespace stator::model
