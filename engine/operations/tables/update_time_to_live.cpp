// UpdateTimeToLive (conformance/observed/ttl.md 1).

#include "engine/call/settings.h"
#include "engine/operations/define.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"
#include "engine/tables/table_definition.h"
#include "engine/tables/table_state.h"
#include "protocol/json/json_writer.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

Error refused(std::string text) { return Error::validation(std::move(text)); }

// The check for an unchanged setting comes before the check of the time since the last change.
Result<void> check_change(const Table& table, bool enables, std::string_view attribute,
                          std::chrono::microseconds cooldown, Timestamp now) {
  const TimeToLive* expiry = table.expiry();
  if (expiry == nullptr && !enables) return refused("TimeToLive is already disabled");
  if (expiry != nullptr && expiry->attribute_name != attribute) {
    return refused("TimeToLive is active on a different AttributeName: current AttributeName is " +
                   expiry->attribute_name);
  }
  if (expiry != nullptr && enables) return refused("TimeToLive is already enabled");
  if (table.time_to_live && now < table.time_to_live->changed.plus(cooldown)) {
    return refused("Time to live has been modified multiple times within a fixed interval");
  }
  return {};
}

struct UpdateTimeToLive {
  static constexpr std::string_view name = "UpdateTimeToLive";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view table_name;
    std::string_view attribute_name;
    bool enables;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kUpdateTimeToLiveInput, call));
    const JsonNode& specification = *body.find("TimeToLiveSpecification");
    return call.arena.make<Request>(call.table_name, *string_member(specification, "AttributeName"),
                                    *boolean_member(specification, "Enabled"));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    const Timestamp now = snapshot.now();
    STATOR_TRY(const Table* table, snapshot.control_table(call, request.table_name));
    if (table->status(now) == TableStatus::Creating) return table_not_found(table->name);
    STATOR_CHECK(check_changeable(*table, now));
    const Settings& settings = *call.settings;
    STATOR_CHECK(
        check_change(*table, request.enables, request.attribute_name, settings.ttl_cooldown, now));
    Table changed = *table;
    changed.time_to_live = TimeToLive{
        .is_enabled = request.enables,
        .attribute_name = std::string(request.attribute_name),
        .changed = now,
        .changing_until = now.settled_after(settings.control_plane_delay),
        .space = {},
        .build = request.enables ? std::optional(ExpiryBuild{}) : std::nullopt,
    };
    mutation.put_table(std::move(changed));
    // The response repeats the request, not the current state.
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("TimeToLiveSpecification");
    out.begin_object();
    out.member("Enabled", request.enables);
    out.member("AttributeName", request.attribute_name);
    out.end_object();
    out.end_object();
    return {};
  }

  // Disabling it removes the expiry entries of items.
  static bool only_frees_space(const Request& request) { return !request.enables; }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

}  // namespace

Operation update_time_to_live_row() { return define<UpdateTimeToLive>(); }

}  // namespace stator
