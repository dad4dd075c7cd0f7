#include "server/cli/template_commands/schema_command.h"

#include <utility>

#include "server/cli/client/result_pages.h"
#include "server/cli/output/standard_output.h"
#include "server/data/transfer/table_schema.h"
#include "server/log/say.h"
#include "server/templates/plan/difference.h"
#include "server/templates/plan/plan_text.h"

namespace stator::templates {

namespace {

using data::DynamodbClient;
using data::Failure;

int show(std::string_view text, int status) {
  client::begin_output();
  const auto written = client::write_all(text);
  if (!written && !written.error().problem.empty()) return fail(written.error().problem);
  return status;
}

// The states of tables; of all without names. A table that is gone meanwhile is left out, unless
// it was named.
tl::expected<std::vector<TableState>, Failure> read_states(DynamodbClient& client,
                                                           std::vector<std::string> names,
                                                           const StateQuestions& questions) {
  const bool are_named = !names.empty();
  if (!are_named) {
    auto all = data::list_tables(client);
    if (!all) return tl::unexpected(std::move(all).error());
    names = *std::move(all);
  }
  std::vector<TableState> states;
  for (const std::string& name : names) {
    auto state = read_state(client, name, questions);
    if (!state) return tl::unexpected(std::move(state).error());
    if (!*state && are_named)
      return tl::unexpected(Failure{"", std::string("there is no table ").append(name)});
    if (*state) states.push_back(*std::move(*state));
  }
  return states;
}

// What the endpoint did not return of a table, for people: "time to live, tags"; empty: nothing.
std::string untold(const TableState& state) {
  const std::pair<bool, std::string_view> parts[] = {
      {state.knows_ttl, "time to live"},
      {state.knows_tags, "tags"},
      {state.shape.recovery.has_value(), "recovery"},
      {state.shape.kinesis.has_value(), "the Kinesis destination"}};
  std::string list;
  for (const auto& [is_known, name] : parts)
    if (!is_known) list.append(list.empty() ? "" : ", ").append(name);
  return list;
}

// Empty, after lines on stderr, with the exit status in `status`.
std::optional<TableSide> read_side(const SideOptions& options, TemplateFiles files,
                                   bool other_is_file, int& status) {
  TableSide side;
  side.is_file = options.is_file;
  if (options.is_file) {
    files.paths = {options.path};
    auto tables = read_files(std::move(files));
    status = kMistakeStatus;
    if (!tables) return std::nullopt;
    for (ReadTable& read : *tables) {
      std::string name = read.shape.name;
      side.tables[std::move(name)].shape = std::move(read.shape);
    }
    return side;
  }
  DynamodbClient client{options.endpoint};
  auto states = read_states(
      client, {},
      {.recovery = true, .policy = other_is_file, .kinesis = true, .all_insights = true});
  if (!states) {
    status = client::fail_with_hints(states.error());
    return std::nullopt;
  }
  for (TableState& state : *states) {
    std::string name = state.shape.name;
    side.tables[std::move(name)] = std::move(state);
  }
  return side;
}

}  // namespace

int run_schema(const SchemaOptions& options) {
  DynamodbClient client{options.endpoint};
  const auto states =
      read_states(client, options.tables, {.recovery = true, .policy = true, .kinesis = true});
  if (!states) return client::fail_with_hints(states.error());
  std::vector<TableShape> tables;
  for (const TableState& state : *states) {
    tables.push_back(state.shape);
    const std::string lost = untold(state);
    if (!lost.empty())
      complain(std::string(state.shape.name)
                   .append(": the endpoint has no such operation, or no right for it: ")
                   .append(lost));
  }
  const auto text = schema_text(options.form, tables);
  if (!text) return fail(text.error());
  for (const TableShape& table : tables) {
    const std::string note = schema_note(options.form, table);
    if (!note.empty()) complain(std::string(table.name).append(": ").append(note));
  }
  return show(*text, 0);
}

int run_schema_diff(const DiffOptions& options) {
  int status = 0;
  const auto first = read_side(options.first, options.files, options.second.is_file, status);
  if (!first) return status;
  const auto second = read_side(options.second, options.files, options.first.is_file, status);
  if (!second) return status;
  const std::vector<TableDifference> differences = differences_of(*first, *second);
  bool is_same = true;
  for (const TableDifference& difference : differences) is_same = is_same && difference.is_same();
  const int end = is_same ? 0 : kDifferentStatus;
  if (options.is_json) return show(differences_json(differences).append("\n"), end);
  for (const std::string& line : difference_lines(differences)) say(line);
  return end;
}

}  // namespace stator::templates
