// The tool `apply_schema`: the plan of a template, and its tables.
#include <optional>
#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/cli/mcp/tools/argument_check.h"
#include "server/cli/mcp/tools/auto_marks.h"
#include "server/cli/mcp/tools/tool_context.h"
#include "server/cli/mcp/tools/tools.h"
#include "server/data/transfer/json_text.h"
#include "server/templates/plan/carry_out.h"
#include "server/templates/plan/make_plan.h"
#include "server/templates/plan/plan_text.h"
#include "server/templates/plan/verdict.h"
#include "server/templates/read_templates.h"

namespace stator::mcp {

namespace {

using templates::Action;
using templates::Plan;

// The text may come from anywhere, so it gets neither files nor variables of this process.
templates::ReadOptions options_of(const ToolContext& context, const JsonNode& arguments) {
  templates::ReadOptions options;
  options.region = context.endpoint().region;
  options.reads_files = false;
  options.environment = [](const std::string&) { return std::optional<std::string>(); };
  if (const JsonNode* const given = arguments.find("parameters")) {
    for (const JsonMember& member : given->members()) {
      if (const auto word = word_in(*given, member.name))
        options.parameters.emplace_back(member.name, *word);
    }
  }
  options.variables = options.parameters;
  return options;
}

std::string lines_of(const std::vector<templates::Mistake>& mistakes) {
  std::string lines;
  for (const templates::Mistake& mistake : mistakes)
    lines.append(lines.empty() ? "" : "\n").append(mistake.message());
  return lines;
}

tl::expected<Plan, ToolError> plan_of(ToolContext& context, const JsonNode& arguments) {
  auto read = templates::read_template_text(std::string{data::text_in(arguments, "template")},
                                            "template", options_of(context, arguments));
  if (!read) return failed(lines_of(read.error()));
  auto tables = templates::with_shapes(*std::move(read));
  if (!tables) return failed(lines_of(tables.error()));
  auto plan = templates::make_plan(context.client(), *std::move(tables));
  if (!plan) return tl::unexpected(error_of(plan.error()));
  return *std::move(plan);
}

// The answer's members are those of the plan as JSON, with the list of tables as elements.
Answer answer_of(const Plan& plan, bool is_applied, const std::string& mark) {
  Answer answer;
  std::string text = templates::plan_json(plan, is_applied);
  Arena arena;
  const auto node = read_json(text, arena);
  for (const JsonMember& member : node->members()) {
    if (member.name == "tables") {
      for (const JsonNode& table : member.value.elements())
        answer.elements.push_back(json_of(table));
    } else {
      answer.before.append("\"").append(member.name).append("\":");
      answer.before.append(json_of(member.value)).append(",");
    }
  }
  answer.before.append("\"tables\":[");
  answer.after = "]";
  append_text_member(answer.after, "mark", mark);
  return answer;
}

Outcome run_schema_tool(ToolContext& context, const JsonNode& arguments) {
  const bool is_applied = data::is_true(arguments, "apply");
  if (is_applied) {
    if (const auto checked = context.check_write("apply_schema"); !checked)
      return tl::unexpected(checked.error());
  }
  const auto plan = plan_of(context, arguments);
  if (!plan) return tl::unexpected(plan.error());
  if (!is_applied) return answer_of(*plan, false, {});
  const templates::Permissions permissions{
      .allows_replacement = data::is_true(arguments, "allow_replace"), .is_confirmed = true};
  const templates::Verdict verdict = templates::verdict_of(*plan, permissions);
  if (!verdict.is_carried_out && !plan->is_empty()) return failed(verdict.reason);
  std::string mark;
  if (plan->count(Action::Replace) > 0) {
    auto set = set_auto_mark(context);
    if (!set) return tl::unexpected(std::move(set).error());
    mark = *std::move(set);
  }
  for (const templates::PlannedTable& planned : plan->tables) {
    const auto done = templates::carry_out(context.client(), planned);
    if (!done)
      return failed(planned.wanted.name +
                    " is not complete, call again: " + error_of(done.error()).text);
  }
  return answer_of(*plan, true, mark);
}

}  // namespace

Tool schema_tool() {
  return {"apply_schema",
          "Shows what a template would change (CloudFormation, SAM, serverless.yml, Terraform as "
          "JSON, Workbench, create-table), with apply does it. A replaced table loses its items; "
          "a mark is set before.",
          R"("template":{"type":"string","description":"the file's text"},)"
          R"("parameters":{"type":"object"},"apply":{"type":"boolean"},)"
          R"("allow_replace":{"type":"boolean"})",
          R"("template")",
          R"("tables":{"type":"array"},"create":{"type":"integer"},"update":{"type":"integer"},)"
          R"("replace":{"type":"integer"},"unchanged":{"type":"integer"},)"
          R"("delete":{"type":"integer"},"applied":{"type":"boolean"},"mark":{"type":"string"})",
          {.is_destructive = true, .is_idempotent = true},
          run_schema_tool};
}

}  // namespace stator::mcp
