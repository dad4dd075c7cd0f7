// TagResource.

#include <algorithm>

#include "engine/operations/define.h"
#include "engine/operations/tags/tag_requests.h"
#include "engine/schema/table.h"
#include "engine/state/mutation.h"
#include "engine/tables/tags.h"
#include "protocol/model/shapes.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

struct TagResource {
  static constexpr std::string_view name = "TagResource";
  static constexpr Layer layer = Layer::Classic;
  using Request = TagRequest;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_tag_body(body, model::kTagResourceInput, call));
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
    return {};  // the response's body is empty
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.resource_arn, .tags = request.elements});
  }
};

}  // namespace

Operation tag_resource_row() { return define<TagResource>(); }

}  // namespace stator
