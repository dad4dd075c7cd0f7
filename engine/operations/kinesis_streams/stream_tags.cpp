// AddTagsToStream, RemoveTagsFromStream and ListTagsForStream.

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/operations/define.h"
#include "engine/operations/kinesis_streams/requested_streams.h"
#include "engine/operations/kinesis_streams/stream_shapes.h"
#include "engine/state/mutation.h"

namespace stator::kinesis {
namespace {

constexpr std::size_t kTagKeyBytesMax = 128 * 4;  // of 128 characters
constexpr std::size_t kTagValueBytesMax = 256 * 4;

using Tags = std::vector<std::pair<std::string, std::string>>;

Tags::iterator find_tag(Tags& tags, std::string_view key) {
  return std::find_if(tags.begin(), tags.end(), [&](const auto& tag) { return tag.first == key; });
}

struct AddTagsToStream : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "AddTagsToStream";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view name;
    const JsonNode* tags;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kAddTags, call));
    STATOR_TRY(const std::string_view stream, requested_name(body, call));
    for (const JsonMember& tag : body.find("Tags")->members()) {
      if (tag.name.empty() || tag.name.size() > kTagKeyBytesMax ||
          tag.value.text().size() > kTagValueBytesMax)
        return invalid_argument("A tag has an empty or too long key, or a too long value.");
    }
    return call.arena.make<Request>(stream, body.find("Tags"));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(auto stream, find_requested_stream(request.name, snapshot, call));
    for (const JsonMember& tag : request.tags->members()) {
      const auto known = find_tag(stream.tags, tag.name);
      if (known != stream.tags.end()) {
        known->second = tag.value.text();
      } else {
        stream.tags.emplace_back(tag.name, tag.value.text());
      }
    }
    if (stream.tags.size() > static_cast<std::size_t>(kTagsMax)) {
      return invalid_argument("Failed to add tags to stream " + stream.name +
                              " because a given stream cannot have more than 50 tags.");
    }
    mutation.put_kinesis_stream(std::move(stream));
    return {};
  }
};

struct RemoveTagsFromStream : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "RemoveTagsFromStream";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view name;
    std::span<const JsonNode> keys;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kRemoveTags, call));
    STATOR_TRY(const std::string_view stream, requested_name(body, call));
    return call.arena.make<Request>(stream, list_member(body, "TagKeys"));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(auto stream, find_requested_stream(request.name, snapshot, call));
    for (const JsonNode& key : request.keys) {
      const auto known = find_tag(stream.tags, key.text());
      if (known != stream.tags.end()) stream.tags.erase(known);
    }
    mutation.put_kinesis_stream(std::move(stream));
    return {};
  }
};

struct ListTagsForStream : kinesis::TouchesNoTable {
  static constexpr std::string_view name = "ListTagsForStream";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view name;
    std::string_view after;
    std::int64_t limit;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kListTags, call));
    STATOR_TRY(const std::string_view stream, requested_name(body, call));
    return call.arena.make<Request>(stream,
                                    string_member(body, "ExclusiveStartTagKey").value_or(""),
                                    integer_member(body, "Limit").value_or(kTagsMax));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(auto stream, find_requested_stream(request.name, snapshot, call));
    std::sort(stream.tags.begin(), stream.tags.end());
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("Tags");
    out.begin_array();
    std::int64_t count = 0;
    bool has_more = false;
    for (const auto& [key, value] : stream.tags) {
      if (key <= request.after) continue;
      has_more = count == request.limit;
      if (has_more) break;
      ++count;
      out.begin_object();
      out.member("Key", std::string_view(key));
      out.member("Value", std::string_view(value));
      out.end_object();
    }
    out.end_array();
    out.member("HasMoreTags", has_more);
    out.end_object();
    return {};
  }
};

}  // namespace
}  // namespace stator::kinesis

namespace stator {

Operation kinesis_add_tags_to_stream_row() { return define<kinesis::AddTagsToStream>(); }
Operation kinesis_list_tags_for_stream_row() { return define<kinesis::ListTagsForStream>(); }
Operation kinesis_remove_tags_from_stream_row() { return define<kinesis::RemoveTagsFromStream>(); }

}  // namespace stator
