// TagResource, UntagResource, ListTagsOfResource.
#include <algorithm>
#include <array>

#include "engine/operations/define.h"
#include "engine/operations/families.h"
#include "engine/operations/tags/tags.h"
#include "protocol/json_writer.h"
#include "protocol/limits.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr const TypeSpec& kTagShape = model::kTagResourceInput;
constexpr const TypeSpec& kUntagShape = model::kUntagResourceInput;
constexpr const TypeSpec& kListShape = model::kListTagsOfResourceInput;

struct TagRequest {
  std::string_view resource_arn;
  std::span<const JsonNode> elements;  // tags or keys
};

template <class Request>
void tag_resources(const Request& request, Resources& touched) {
  touched.push_back({.table = request.resource_arn});
}

// What the three share: types, a ResourceArn at all, constraints.
Result<void> check_body(const JsonNode& body, const TypeSpec& shape, Call& call) {
  STATOR_CHECK(check_types(body, shape));
  if (body.find("ResourceArn") == nullptr) return Error::validation("Invalid TableArn");
  call.table_name = table_name_of(*string_member(body, "ResourceArn"));
  return check_constraints(body, shape, call.wording);
}

struct TagResource {
  static constexpr std::string_view name = "TagResource";
  static constexpr Layer layer = Layer::Classic;
  using Request = TagRequest;
  static constexpr auto resources = tag_resources<Request>;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kTagShape, call));
    const auto tags = list_member(body, "Tags");
    if (tags.empty()) return Error::validation("Atleast one Tag needs to be provided as Input.");
    STATOR_TRY(const std::string_view arn, check_resource_arn(body, name, call));
    STATOR_CHECK(check_tags(tags));
    return call.arena.make<Request>(arn, tags);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(const Table* table, tagged_table(request.resource_arn, snapshot, call));
    Table tagged = *table;
    for (const JsonNode& tag : request.elements) {
      const std::string_view key = *string_member(tag, "Key");
      const auto known = std::find_if(tagged.tags.begin(), tagged.tags.end(),
                                      [&](const auto& t) { return t.first == key; });
      if (known == tagged.tags.end()) {
        tagged.tags.emplace_back(key, *string_member(tag, "Value"));
      } else {
        known->second = *string_member(tag, "Value");
      }
    }
    if (tagged.tags.size() > limits::kTagsMax) return too_many_tags();
    mutation.put_table(std::move(tagged));
    return {};  // the answer's body is empty
  }
};

struct UntagResource {
  static constexpr std::string_view name = "UntagResource";
  static constexpr Layer layer = Layer::Classic;
  using Request = TagRequest;
  static constexpr auto resources = tag_resources<Request>;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kUntagShape, call));
    const auto keys = list_member(body, "TagKeys");
    if (keys.empty())
      return Error::validation("Atleast one Tag Key needs to be provided as Input.");
    STATOR_TRY(const std::string_view arn, check_resource_arn(body, name, call));
    return call.arena.make<Request>(arn, keys);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(const Table* table, tagged_table(request.resource_arn, snapshot, call));
    Table untagged = *table;
    std::erase_if(untagged.tags, [&](const auto& tag) {
      return std::any_of(request.elements.begin(), request.elements.end(),
                         [&](const JsonNode& key) { return key.text() == tag.first; });
    });
    mutation.put_table(std::move(untagged));
    return {};
  }
};

struct ListTagsOfResource {
  static constexpr std::string_view name = "ListTagsOfResource";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view resource_arn;
  };
  static constexpr auto resources = tag_resources<Request>;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_body(body, kListShape, call));
    STATOR_TRY(const std::string_view arn, check_resource_arn(body, name, call));
    // No answer has a token that could come back. The wording is ours: none is recorded.
    if (string_member(body, "NextToken")) return Error::validation("Invalid NextToken");
    return call.arena.make<Request>(arn);
  }

  // All tags in one answer, whatever the documentation says of pages.
  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const Table* table, tagged_table(request.resource_arn, snapshot, call));
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("Tags");
    out.begin_array();
    for (const auto& [key, value] : table->tags) {
      out.begin_object();
      out.member("Key", std::string_view(key));
      out.member("Value", std::string_view(value));
      out.end_object();
    }
    out.end_array();
    out.end_object();
    return {};
  }
};

}  // namespace

OperationFamily tag_operations() {
  static const std::array kRows{
      define<ListTagsOfResource>(),
      define<TagResource>(),
      define<UntagResource>(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
