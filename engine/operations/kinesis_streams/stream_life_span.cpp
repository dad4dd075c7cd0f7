// CreateStream and DeleteStream.

#include <utility>

#include "engine/call/scope.h"
#include "engine/call/settings.h"
#include "engine/operations/define.h"
#include "engine/operations/kinesis_streams/requested_streams.h"
#include "engine/operations/kinesis_streams/stream_shapes.h"
#include "engine/state/mutation.h"
#include "engine/storage/descriptions/kinesis_streams.h"

namespace stator::kinesis {
namespace {

// Number and texts are our own, after the service's quotas.
constexpr std::int64_t kShardsMax = 500;
constexpr std::size_t kStreamsMax = 500;
constexpr std::int64_t kOnDemandShards = 4;

struct CreateStream : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "CreateStream";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view name;
    std::int64_t shard_count;
    bool is_on_demand;
    const JsonNode* tags;  // nullptr without
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kCreateStream, call));
    const auto shards = integer_member(body, "ShardCount");
    const JsonNode* const details = body.find("StreamModeDetails");
    const bool is_on_demand = details != nullptr
                                  ? string_member(*details, "StreamMode") == "ON_DEMAND"
                                  : !shards.has_value();
    if (!is_on_demand && !shards)
      return Error::validation("ShardCount is required for a stream of the mode PROVISIONED.");
    if (is_on_demand && shards)
      return Error::validation("ShardCount is not allowed for a stream of the mode ON_DEMAND.");
    if (shards && *shards > kShardsMax) {
      return Error::limit_exceeded("This request would exceed the shard limit of " +
                                   std::to_string(kShardsMax));
    }
    return call.arena.make<Request>(*string_member(body, "StreamName"),
                                    shards.value_or(kOnDemandShards), is_on_demand,
                                    body.find("Tags"));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    const Timestamp now = snapshot.now();
    const std::string_view scope = scope_of(call, call.arena);
    STATOR_TRY(auto old, storage::find_kinesis_stream(snapshot.transaction(), scope, request.name));
    if (old && !old->is_gone(now)) {
      std::string text = "Stream ";
      text.append(request.name).append(" under account ").append(call.settings->account_id);
      return Error::resource_in_use(text.append(" already exists."));
    }
    STATOR_TRY(const auto all, storage::all_kinesis_streams(snapshot.transaction()));
    if (all.size() >= kStreamsMax)
      return Error::limit_exceeded("There are " + std::to_string(kStreamsMax) + " streams already");
    if (old) mutation.erase_kinesis_stream(*std::move(old));
    KinesisStream stream{.scope = std::string(scope),
                         .name = std::string(request.name),
                         .region = std::string(call.caller.region),
                         .account_id = call.settings->account_id,
                         .created = now,
                         .shard_count = request.shard_count,
                         .is_on_demand = request.is_on_demand,
                         .creating_until = now.settled_after(call.settings->control_plane_delay),
                         .deleting_until = {},
                         .tags = {}};
    if (request.tags != nullptr) {
      for (const JsonMember& tag : request.tags->members())
        stream.tags.emplace_back(tag.name, tag.value.text());
    }
    mutation.put_kinesis_stream(std::move(stream));
    return {};
  }
};

struct DeleteStream : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "DeleteStream";
  static constexpr Layer layer = Layer::Classic;
  static constexpr bool only_frees_space = true;
  struct Request {
    std::string_view name;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kNamedStream, call));
    STATOR_TRY(const std::string_view stream, requested_name(body, call));
    return call.arena.make<Request>(stream);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(auto stream, find_requested_stream(request.name, snapshot, call));
    const auto delay = call.settings->control_plane_delay;
    if (delay.count() == 0) {
      mutation.erase_kinesis_stream(std::move(stream));
    } else if (!stream.deleting_until) {
      stream.deleting_until = snapshot.now().plus(delay);
      mutation.put_kinesis_stream(std::move(stream));
    }
    return {};
  }
};

}  // namespace
}  // namespace stator::kinesis

namespace stator {

Operation kinesis_create_stream_row() { return define<kinesis::CreateStream>(); }
Operation kinesis_delete_stream_row() { return define<kinesis::DeleteStream>(); }

}  // namespace stator
