// CreateEventSourceMapping, UpdateEventSourceMapping and DeleteEventSourceMapping.
#include <algorithm>
#include <utility>

#include "engine/api/stream_reader.h"
#include "protocol/service/arn.h"
#include "server/triggers/api/function_name.h"
#include "server/triggers/api/lambda_call.h"
#include "server/triggers/api/mapping_request.h"
#include "server/triggers/api/mapping_text.h"
#include "streams/filters/record_filter.h"
#include "streams/requested_stream.h"

namespace stator::triggers {
namespace {

constexpr std::uint16_t kAccepted = 202;
constexpr std::int32_t kRecordAgeLeast_s = 60;
constexpr std::string_view kStreamPart = "/stream/";
constexpr std::string_view kNoSuchMapping = "The resource you requested does not exist.";

const JsonNode& body_of(const LambdaCall& call) {
  static const JsonNode kEmpty = JsonNode::object({});
  return call.body != nullptr ? *call.body : kEmpty;
}

// The source that a request names, as a stream of DynamoDB.
LambdaResult<StreamArn> read_source(const MappingRequest& request) {
  const auto& arn = request.event_source_arn;
  const auto table = arn ? parse_table_arn(*arn) : std::nullopt;
  if (!table || !table->rest.starts_with(kStreamPart))
    return invalid_value("Unrecognized event source.");
  return StreamArn{*arn, *table, table->rest.substr(kStreamPart.size())};
}

LambdaResult<StartingPosition> read_position(const MappingRequest& request) {
  const auto& position = request.starting_position;
  if (!position) {
    return invalid_value(
        "1 validation error detected: Value null at 'startingPosition' failed to satisfy "
        "constraint: Member must not be null.");
  }
  if (*position == "AT_TIMESTAMP")
    return invalid_value("Unsupported starting position for arn type: " +
                         *request.event_source_arn);
  return *position == "LATEST" ? StartingPosition::Latest : StartingPosition::TrimHorizon;
}

bool is_supported_destination(std::string_view text) {
  if (text.empty() || text.starts_with("kafka://")) return true;
  std::string_view service = text.substr(std::min(text.find(':', 4), text.size()));
  if (!service.empty()) service.remove_prefix(1);
  service = service.substr(0, service.find(':'));
  return service == "sqs" || service == "sns" || service == "s3";
}

// What does not depend on stored data, in the service's order.
LambdaResult<void> check_settings(const MappingRequest& request) {
  if (!request.not_for_streams.empty()) {
    return invalid_value("Unsupported parameter for given event source mapping type: " +
                         request.not_for_streams);
  }
  const MappingSettings& settings = request.settings;
  if (settings.record_age_max_s >= 0 && settings.record_age_max_s < kRecordAgeLeast_s) {
    return invalid_value("Invalid MaximumRecordAgeInSeconds value: " +
                         std::to_string(settings.record_age_max_s));
  }
  if (!is_supported_destination(settings.on_failure))
    return invalid_value("Unsupported destination: " + settings.on_failure);
  if (settings.filters.size() > kFiltersMax) {
    return invalid_value("The number of filters exceeds the quota of " +
                         std::to_string(kFiltersMax) + ".");
  }
  for (const std::string& pattern : settings.filters) {
    if (!compile_filter(pattern)) return invalid_value("Invalid filter pattern definition.");
  }
  return {};
}

LambdaRefusal no_on_success() {
  return invalid_value(
      "Unsupported DestinationConfig parameter for given event source mapping type.");
}

// The ARN of the function that the request names.
LambdaResult<std::string> read_function(const LambdaCall& call, const MappingRequest& request) {
  // The reader has refused other texts.
  const FunctionName name = *parse_function_name(*request.function_name);
  const Functions& functions = call.parts.functions;
  if (functions.is_strict() && functions.find(name.name) == nullptr)
    return invalid_value("Function does not exist");
  return name.arn(call.region, call.parts.settings.account_id);
}

// Finds the stream, and the first number of the journal that a mapping is to deliver.
LambdaResult<std::uint64_t> find_start(const LambdaCall& call, const StreamArn& named,
                                       StartingPosition position) {
  bool is_found = false;
  std::uint64_t first = 0;
  const auto look = [&](const Snapshot& snapshot) -> Result<void> {
    const StreamReader streams(snapshot);
    STATOR_TRY(const auto stream, streams.find({call.scope, named.table.table_name, named.label}));
    is_found = stream && stream->region == named.table.region &&
               stream->account_id == named.table.account_id;
    if (!is_found || position == StartingPosition::TrimHorizon) return {};
    // Open shards end at the next number; without one nothing more comes.
    std::string after;
    for (;;) {
      STATOR_TRY(const auto shard, streams.next_shard(stream->number, after));
      if (!shard) return {};
      STATOR_TRY(const std::uint64_t end, streams.end_of(*shard));
      first = std::max(first, end);
      after = shard->id;
    }
  };
  const auto looked = call.parts.engine.look(call.reader, look);
  if (!looked) return store_failure(looked.error());
  if (!is_found) return invalid_value(std::string("Stream not found: ").append(named.text));
  return first;
}

// A refusal that is decided inside a commit travels beside the Error that ends it.
class Deciding {
 public:
  Error stop(LambdaRefusal refusal) {
    refusal_ = std::move(refusal.value());
    return Error::internal_server_error();
  }
  LambdaRefusal refusal(const Error& error) const {
    return refusal_ ? LambdaRefusal(*refusal_) : store_failure(error);
  }
  void restart() { refusal_.reset(); }

 private:
  std::optional<LambdaError> refusal_;
};

// The stored mapping of the same source and function, if there is another one.
std::optional<LambdaRefusal> find_conflict(const std::vector<Mapping>& stored,
                                           const Mapping& mapping) {
  const std::string_view function = mapping.settings.function_arn;
  for (const Mapping& other : stored) {
    if (other.uuid == mapping.uuid || other.scope != mapping.scope ||
        other.stream_arn != mapping.stream_arn || other.settings.function_arn != function)
      continue;
    std::string text("The event source arn (\" ");
    text.append(mapping.stream_arn).append(" \") and function (\" ");
    text.append(function_name_of(function));
    text.append(
        " \") provided mapping already exists. Please update or delete the existing mapping "
        "with UUID ");
    return mapping_conflict(text.append(other.uuid));
  }
  return std::nullopt;
}

const Mapping* find_stored(const std::vector<Mapping>& stored, const LambdaCall& call) {
  const auto found = std::find_if(stored.begin(), stored.end(), [&](const Mapping& mapping) {
    return mapping.uuid == call.name && mapping.scope == call.scope;
  });
  return found == stored.end() ? nullptr : &*found;
}

// The state on the way from the settings before to the new ones.
MappingState state_between(const MappingSettings& before, const MappingSettings& after) {
  if (before.is_enabled == after.is_enabled) return MappingState::Updating;
  return after.is_enabled ? MappingState::Enabling : MappingState::Disabling;
}

// As LambdaAnswer, with the settings and the state given.
LambdaResult<LambdaAnswer> answer_change(const LambdaCall& call, const Mapping& mapping,
                                         const MappingSettings& settings, MappingState state) {
  const auto result = call.parts.mappings.result(mapping.uuid);
  if (!result) return store_failure(result.error());
  return LambdaAnswer{kAccepted, mapping_text(mapping, {settings, state, *result})};
}

// The mapping as the request alone says it.
LambdaResult<Mapping> plan_mapping(const LambdaCall& call, MappingRequest request) {
  if (request.has_on_success) return no_on_success();
  const auto source = read_source(request);
  if (!source) return tl::unexpected(source.error());
  const auto position = read_position(request);
  if (!position) return tl::unexpected(position.error());
  if (auto checked = check_settings(request); !checked)
    return tl::unexpected(std::move(checked).error());
  auto function = read_function(call, request);
  if (!function) return tl::unexpected(std::move(function).error());
  const auto first = find_start(call, *source, *position);
  if (!first) return tl::unexpected(first.error());
  Mapping mapping;
  mapping.uuid = call.random.uuid();
  mapping.scope = call.scope;
  mapping.region = call.region;
  mapping.account_id = call.parts.settings.account_id;
  mapping.stream_arn = source->text;
  mapping.table_name = source->table.table_name;
  mapping.stream_label = source->label;
  mapping.starting_position = *position;
  mapping.first_number = *first;
  mapping.settings = std::move(request.settings);
  mapping.settings.function_arn = *std::move(function);
  mapping.tags = std::move(request.tags);
  return mapping;
}

}  // namespace

LambdaResult<LambdaAnswer> create_mapping(const LambdaCall& call) {
  auto request = read_mapping_request(body_of(call), MappingSettings(), /*is_new=*/true);
  if (!request) return tl::unexpected(std::move(request).error());
  auto planned = plan_mapping(call, *std::move(request));
  if (!planned) return tl::unexpected(std::move(planned).error());
  Deciding deciding;
  const auto decide = [&](const std::vector<Mapping>& stored, Timestamp now) -> Result<Mapping> {
    deciding.restart();
    if (auto conflict = find_conflict(stored, *planned)) return deciding.stop(*std::move(conflict));
    if (stored.size() >= kMappingsMax) {
      return deciding.stop(invalid_value("This server has at most " + std::to_string(kMappingsMax) +
                                         " event source mappings."));
    }
    Mapping mapping = *planned;
    // Lists have the order of creation also while time stands. The last of `stored` is the newest.
    mapping.created = now;
    if (!stored.empty() && stored.back().created >= now)
      mapping.created = Timestamp{stored.back().created.unix_us + 1};
    mapping.last_modified = now;
    mapping.change = MappingState::Creating;
    mapping.changing_until = now.settled_after(call.parts.settings.control_plane_delay);
    return mapping;
  };
  const auto stored = call.parts.mappings.change(decide);
  if (!stored) return deciding.refusal(stored.error());
  return answer_change(call, *stored, stored->settings, MappingState::Creating);
}

LambdaResult<LambdaAnswer> update_mapping(const LambdaCall& call) {
  if (auto named = check_uuid(call); !named) return tl::unexpected(std::move(named).error());
  // The model's constraints come first, whether there is a mapping or not.
  const auto checked = read_mapping_request(body_of(call), MappingSettings(), /*is_new=*/false);
  if (!checked) return tl::unexpected(checked.error());
  MappingSettings before;
  MappingState state = MappingState::Updating;
  Deciding deciding;
  const auto change = [&](const Mapping& mapping, Timestamp now) -> LambdaResult<Mapping> {
    if (mapping.is_changing(now)) {
      return mapping_in_use("Cannot update the event source mapping because it is in use.");
    }
    auto request = read_mapping_request(body_of(call), mapping.settings, /*is_new=*/false);
    if (!request) return tl::unexpected(std::move(request).error());
    if (request->has_on_success) return no_on_success();
    if (auto allowed = check_settings(*request); !allowed)
      return tl::unexpected(std::move(allowed).error());
    Mapping changed = mapping;
    before = mapping.settings;
    changed.settings = request->settings;
    if (request->function_name) {
      auto function = read_function(call, *request);
      if (!function) return tl::unexpected(std::move(function).error());
      changed.settings.function_arn = *std::move(function);
    }
    changed.before = mapping.settings;
    changed.change = state = state_between(mapping.settings, changed.settings);
    changed.last_modified = now;
    changed.changing_until = now.settled_after(call.parts.settings.control_plane_delay);
    return changed;
  };
  const auto decide = [&](const std::vector<Mapping>& stored, Timestamp now) -> Result<Mapping> {
    deciding.restart();
    const Mapping* const mapping = find_stored(stored, call);
    if (mapping == nullptr) return deciding.stop(source_not_found(std::string(kNoSuchMapping)));
    auto changed = change(*mapping, now);
    if (!changed) return deciding.stop(LambdaRefusal(std::move(changed).error()));
    if (auto conflict = find_conflict(stored, *changed)) return deciding.stop(*std::move(conflict));
    return *std::move(changed);
  };
  const auto stored = call.parts.mappings.change(decide);
  if (!stored) return deciding.refusal(stored.error());
  return answer_change(call, *stored, before, state);
}

LambdaResult<LambdaAnswer> delete_mapping(const LambdaCall& call) {
  if (auto named = check_uuid(call); !named) return tl::unexpected(std::move(named).error());
  const bool is_delayed = call.parts.settings.control_plane_delay.count() > 0;
  const auto result = call.parts.mappings.result(call.name);
  if (!result) return store_failure(result.error());
  Deciding deciding;
  const auto decide = [&](const std::vector<Mapping>& stored, Timestamp now) -> Result<Mapping> {
    deciding.restart();
    const Mapping* const mapping = find_stored(stored, call);
    if (mapping == nullptr) return deciding.stop(source_not_found(std::string(kNoSuchMapping)));
    if (mapping->is_changing(now)) {
      return deciding.stop(
          mapping_in_use("Cannot delete the event source mapping because it is in use."));
    }
    Mapping deleted = *mapping;
    deleted.is_deleted = true;
    deleted.before.reset();
    deleted.change = MappingState::Deleting;
    deleted.last_modified = now;
    deleted.changing_until = now.settled_after(call.parts.settings.control_plane_delay);
    return deleted;
  };
  const auto deleted = call.parts.mappings.change(decide);
  if (!deleted) return deciding.refusal(deleted.error());
  if (!is_delayed) {
    if (const auto removed = call.parts.mappings.remove(call.name); !removed)
      return store_failure(removed.error());
  }
  return LambdaAnswer{kAccepted,
                      mapping_text(*deleted, {deleted->settings, MappingState::Deleting, *result})};
}

}  // namespace stator::triggers
