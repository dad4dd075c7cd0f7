#include "server/cli/template_commands/apply_command.h"

#include <algorithm>
#include <utility>

#include "server/cli/client/result_pages.h"
#include "server/cli/output/standard_output.h"
#include "server/client/http_connection.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/table_schema.h"
#include "server/log/say.h"
#include "server/templates/plan/carry_out.h"
#include "server/templates/plan/plan_text.h"

namespace stator::templates {

namespace {

using data::DynamodbClient;
using data::Failure;

bool has_tags(const TableShape& table, const std::map<std::string, std::string>& tags) {
  return std::all_of(tags.begin(), tags.end(), [&](const auto& tag) {
    const auto found = table.tags.find(tag.first);
    return found != table.tags.end() && found->second == tag.second;
  });
}

// Adds the tables with these tags that are not in the plan.
tl::expected<void, Failure> plan_pruning(DynamodbClient& client,
                                         const std::map<std::string, std::string>& tags,
                                         Plan& plan) {
  const auto names = data::list_tables(client);
  if (!names) return tl::unexpected(names.error());
  for (const std::string& name : *names) {
    const bool is_named =
        std::any_of(plan.tables.begin(), plan.tables.end(),
                    [&](const PlannedTable& planned) { return planned.wanted.name == name; });
    if (is_named) continue;
    const auto there = read_state(client, name, {});
    if (!there) return tl::unexpected(there.error());
    if (*there && has_tags((*there)->shape, tags))
      plan.pruned.push_back({name, (*there)->item_count, (*there)->shape.is_protected});
  }
  return {};
}

// For people: "Orders: created, 3 items"
std::string done_text(const PlannedTable& planned) {
  std::string text = planned.wanted.name;
  switch (planned.action) {
    case Action::Create:
      text.append(": created");
      break;
    case Action::Replace:
      text.append(": replaced");
      break;
    case Action::Update:
    case Action::Unchanged:
      text.append(": updated");
      break;
  }
  const std::size_t items = planned.table.items.size();
  if (planned.loads_items())
    text.append(", ").append(std::to_string(items)).append(items == 1 ? " item" : " items");
  return text;
}

class Apply {
 public:
  explicit Apply(const ApplyOptions& options) : options_{options}, client_{options.endpoint} {}

  int run(std::vector<ReadTable> tables) {
    auto plan = make_plan(client_, std::move(tables));
    if (!plan) return client::fail_with_hints(plan.error());
    if (!options_.prune_tags.empty()) {
      const auto pruning = plan_pruning(client_, options_.prune_tags, *plan);
      if (!pruning) return client::fail_with_hints(pruning.error());
    }
    if (!options_.is_json)
      for (const std::string& line : plan_lines(*plan)) tell(line);
    const Verdict verdict = verdict_of(*plan, options_.permissions);
    if (!verdict.reason.empty()) complain(verdict.reason);
    const int status = verdict.is_carried_out ? carry_out_all(*plan) : verdict.status;
    // A plan without work is as good as carried out.
    const bool is_done = status == 0 && (verdict.is_carried_out || plan->is_empty());
    return show_end(*plan, is_done, status);
  }

 private:
  // Stdout belongs to the names for functions if those are asked for.
  void tell(const std::string& line) const {
    if (options_.prints_environment)
      complain(line);
    else
      say(line);
  }

  int carry_out_all(const Plan& plan) {
    for (const PlannedTable& planned : plan.tables) {
      if (planned.action == Action::Unchanged) continue;
      const auto done = carry_out(client_, planned);
      if (!done) {
        complain(std::string(planned.wanted.name).append(": not complete, run it again"));
        return client::fail_with_hints(done.error());
      }
      if (!options_.is_json) tell(done_text(planned));
    }
    for (const PrunedTable& pruned : plan.pruned) {
      const auto done = prune(client_, pruned);
      if (!done) return client::fail_with_hints(done.error());
      if (!options_.is_json) tell(std::string(pruned.name).append(": deleted"));
    }
    return 0;
  }

  int show_end(const Plan& plan, bool is_done, int status) const {
    if (options_.prints_environment)
      for (const std::string& line : environment_lines(plan)) say(line);
    if (!options_.is_json) return status;
    const auto written = client::write_all(plan_json(plan, is_done).append("\n"));
    if (!written && !written.error().problem.empty()) return fail(written.error().problem);
    return status;
  }

  const ApplyOptions& options_;
  DynamodbClient client_;
};

}  // namespace

std::optional<std::vector<ReadTable>> read_files(TemplateFiles files) {
  if (!files.parameters_file.empty()) {
    const auto added = add_parameters_file(files.options.parameters, files.parameters_file);
    if (!added) {
      complain(added.error().message());
      return std::nullopt;
    }
  }
  auto read = read_templates(files.paths, files.options);
  if (!read) {
    for (const Mistake& mistake : read.error()) complain(mistake.message());
    return std::nullopt;
  }
  auto tables = with_shapes(*std::move(read));
  if (!tables) {
    for (const Mistake& mistake : tables.error()) complain(mistake.message());
    return std::nullopt;
  }
  return *std::move(tables);
}

int run_apply(ApplyOptions options) {
  options.files.options.region = options.endpoint.region;
  options.permissions.is_loopback = is_loopback(options.endpoint.server);
  auto tables = read_files(options.files);
  if (!tables) return kMistakeStatus;
  data::watch_interrupts();
  client::begin_output();
  return Apply{options}.run(*std::move(tables));
}

}  // namespace stator::templates
