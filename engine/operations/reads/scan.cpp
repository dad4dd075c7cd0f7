// Scan: all items of a table or index, or of one segment of it, in hash order.
#include <optional>
#include <string>

#include "engine/items/key_paths.h"
#include "engine/operations/define.h"
#include "engine/operations/reads/page.h"
#include "engine/operations/reads/read_request.h"
#include "engine/operations/reads/start_key.h"
#include "engine/operations/request_members.h"
#include "engine/schema/partitions.h"
#include "protocol/expression/legacy_conditions.h"
#include "protocol/expression/legacy_projection.h"
#include "protocol/expression/placeholders.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr const TypeSpec& kShape = model::kScanInput;

// Segments are ranges of the upper 12 bits of a place in scan order, as long as there are not more
// of them than that gives; then of all its bits.
constexpr std::uint64_t kCoarseSegmentsMax = 1U << 12;

struct Segment {
  std::uint64_t number = 0;
  std::uint64_t total = 1;

  std::uint32_t begin() const { return border(number); }
  std::uint32_t end() const { return border(number + 1); }

 private:
  std::uint32_t border(std::uint64_t of) const {
    const std::uint64_t places = total <= kCoarseSegmentsMax ? kCoarseSegmentsMax : kHashEnd;
    const std::uint64_t place = (places * of + total - 1) / total;
    return static_cast<std::uint32_t>(place * (kHashEnd / places));
  }
};

struct Scan {
  static constexpr std::string_view name = "Scan";
  static constexpr Layer layer = Layer::Classic;

  struct Request {
    ReadRequest read;
    Segment segment;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, kShape));
    STATOR_CHECK(check_constraints(body, kShape, call.wording));
    Request request{};
    request.read = read_common_members(body, call);
    STATOR_CHECK(check_members(body, call.wording));
    STATOR_TRY(request.read.projection, expr::read_attributes_to_get(body, call.arena));
    STATOR_TRY(request.read.filter,
               expr::read_filter(body, "ScanFilter", call.wording, call.arena));
    STATOR_TRY(request.read.start_key, read_start_key(body, call.wording, call.arena));
    STATOR_TRY(request.segment, parse_segment(body));
    STATOR_TRY(auto placeholders,
               expr::Placeholders::read(body, call.wording, call.arena, call.expressions));
    STATOR_CHECK(parse_filter_and_projection(body, placeholders, request.read, call));
    STATOR_CHECK(placeholders.check_all_used(call.wording));
    request.read.filter_paths = paths_of(request.read.filter, call.arena);
    STATOR_TRY(request.read.select, parse_select(body, /*is_query=*/false, call.wording));
    return call.arena.make<Request>(request);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    const ReadRequest& read = request.read;
    STATOR_TRY(const ReadTarget target,
               find_read_target(read.table_name, read.index_name, snapshot, call));
    HashWalk walk{request.segment.begin(), request.segment.end(),
                  partition_count(*target.table, target.global)};
    storage::RecordCursor cursor(snapshot.transaction(), target.space());
    std::optional<storage::StoreKey> start;
    if (read.start_key) {
      STATOR_CHECK(check_scan_start_key(target, *read.start_key));
      start = store_key(target, *read.start_key, call.arena);
      const std::uint32_t hash = storage::partition_hash(start->partition);
      if (hash < walk.begin || hash >= walk.end) return wrong_segment(request.segment);
      walk.begin = hash;
    }
    STATOR_CHECK(check_paths(target, read));
    STATOR_CHECK(start ? cursor.seek_after(*start) : cursor.seek_hash(walk.begin));
    return answer_page(target, read, walk, cursor, snapshot, call);
  }

 private:
  // Which members go together.
  static Result<void> check_members(const JsonNode& body, Wording wording) {
    STATOR_CHECK(check_not_mixed(body, {"AttributesToGet", "ScanFilter", "ConditionalOperator"},
                                 {"ProjectionExpression", "FilterExpression"}, wording));
    const bool may_use_values = body.find("FilterExpression") != nullptr;
    return expr::Placeholders::check_wanted(
        body, may_use_values || body.find("ProjectionExpression") != nullptr,
        may_use_values ? "" : "FilterExpression is null", wording);
  }

  static Result<Segment> parse_segment(const JsonNode& body) {
    const auto number = integer_member(body, "Segment");
    const auto total = integer_member(body, "TotalSegments");
    if (number && !total) {
      return Error::validation(
          "The TotalSegments parameter is required but was not present in the request when Segment "
          "parameter is present");
    }
    if (total && !number) {
      return Error::validation(
          "The Segment parameter is required but was not present in the request when parameter "
          "TotalSegments is present");
    }
    if (!number) return Segment{};
    if (*number >= *total) {
      return Error::validation(
          "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
          "Segment: " +
          std::to_string(*number) + " is not less than TotalSegments: " + std::to_string(*total));
    }
    return Segment{static_cast<std::uint64_t>(*number), static_cast<std::uint64_t>(*total)};
  }

  static Error wrong_segment(const Segment& segment) {
    return Error::validation(
        "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
        "ExclusiveStartKey with correct Segment. TotalSegments: " +
        std::to_string(segment.total) + " Segment: " + std::to_string(segment.number));
  }

  static Result<void> check_paths(const ReadTarget& target, const ReadRequest& read) {
    STATOR_CHECK(check_selected(target, read));
    STATOR_CHECK(check_key_paths(*target.table, read.projection));
    return check_key_paths(*target.table, read.filter_paths);
  }
};

}  // namespace

Operation scan_row() { return define<Scan>(); }

}  // namespace stator
