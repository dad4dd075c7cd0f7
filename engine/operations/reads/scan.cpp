// Scan: all items of a table or index, or of one segment of it, in hash order.
#include <string>

#include "engine/operations/define.h"
#include "engine/operations/reads/page_answer.h"
#include "engine/operations/reads/read_request.h"
#include "engine/operations/reads/start_key.h"
#include "engine/operations/request_members.h"
#include "protocol/errors/rule.h"
#include "protocol/expression/legacy/legacy_conditions.h"
#include "protocol/expression/legacy/legacy_projection.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct Scan {
  static constexpr std::string_view name = "Scan";
  static constexpr Layer layer = Layer::Classic;

  using Request = PageRequest<ScanPlan>;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kScanInput));
    STATOR_CHECK(check_constraints(body, model::kScanInput, constraint_wording(call.wording)));
    ScanPlan plan;
    plan.read = read_common_members(body, call);
    STATOR_CHECK(check_members(body, call.wording));
    STATOR_TRY(plan.read.projection, expr::read_attributes_to_get(body, call.arena));
    STATOR_TRY(plan.read.filter, expr::read_filter(body, "ScanFilter", call.wording, call.arena));
    STATOR_TRY(plan.read.start_key, read_start_key(body, call.wording, call.arena));
    STATOR_TRY(plan.segment, parse_segment(body, call.wording));
    STATOR_TRY(auto placeholders,
               expr::Placeholders::read(body, call.wording, call.arena, call.expressions));
    STATOR_CHECK(
        parse_filter_and_projection(body, placeholders, plan.read, call.wording, call.arena));
    STATOR_CHECK(placeholders.check_all_used(call.wording));
    plan.read.filter_paths = paths_of(plan.read.filter, call.arena);
    STATOR_TRY(plan.read.select, parse_select(body, /*is_query=*/false, call.wording));
    return call.arena.make<Request>(call.table_name, parse_return_consumed_capacity(body), plan);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const Table* table, snapshot.item_table(call, request.table_name));
    PageAnswer answer(request.plan.read, call);
    STATOR_TRY(const Page page, scan_page(*table, request.plan, snapshot, call, answer));
    answer.finish(page, request.table_name, request.return_consumed_capacity);
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back(
        touched_page(request.table_name, request.plan.read, request.return_consumed_capacity));
  }

 private:
  // Where Scan has moved, its constraints are those of the new layer, and few of its other texts
  // (conformance/observed/transactions.md 7).
  static Wording constraint_wording(Wording wording) {
    return wording.profile == Profile::Next ? Wording::of(wording.profile, Layer::Bare) : wording;
  }

  // Which members go together.
  static Result<void> check_members(const JsonNode& body, Wording wording) {
    STATOR_CHECK(check_not_mixed(body, {"AttributesToGet", "ScanFilter", "ConditionalOperator"},
                                 {"ProjectionExpression", "FilterExpression"}, wording));
    const bool may_use_values = body.find("FilterExpression") != nullptr;
    return expr::Placeholders::check_wanted(
        body, may_use_values || body.find("ProjectionExpression") != nullptr,
        may_use_values ? "" : "FilterExpression is null", wording);
  }

  static Result<Segment> parse_segment(const JsonNode& body, Wording wording) {
    const auto number = integer_member(body, "Segment");
    const auto total = integer_member(body, "TotalSegments");
    if (number && !total) {
      return Error::validation(
                 "The TotalSegments parameter is required but was not present in the request when "
                 "Segment parameter is present")
          .with_rule(Rule::MemberBeside, {"TotalSegments", "Segment"});
    }
    if (total && !number) {
      return Error::validation(
                 "The Segment parameter is required but was not present in the request when "
                 "parameter TotalSegments is present")
          .with_rule(Rule::MemberBeside, {"Segment", "TotalSegments"});
    }
    if (!number) return Segment{};
    if (*number >= *total) {
      std::string text =
          "The Segment parameter is zero-based and must be less than parameter TotalSegments";
      if (wording.profile != Profile::Next) {
        text += ": Segment: " + std::to_string(*number) +
                " is not less than TotalSegments: " + std::to_string(*total);
      }
      return Error::validation(text);
    }
    return Segment{static_cast<std::uint64_t>(*number), static_cast<std::uint64_t>(*total)};
  }
};

}  // namespace

Operation scan_row() { return define<Scan>(); }

}  // namespace stator
