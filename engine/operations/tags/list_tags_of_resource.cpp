// ListTagsOfResource.

#include "engine/operations/define.h"
#include "engine/operations/tags/tag_requests.h"
#include "engine/schema/table.h"
#include "engine/tables/tags.h"
#include "protocol/json/json_writer.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct ListTagsOfResource {
  static constexpr std::string_view name = "ListTagsOfResource";
  static constexpr Layer layer = Layer::Classic;
  using Request = TagRequest;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_tag_body(body, model::kListTagsOfResourceInput, call));
    STATOR_TRY(const std::string_view arn, check_resource_arn(body, name, call));
    // No response has a token, so none can be valid. Our own wording: none is recorded.
    if (string_member(body, "NextToken")) return Error::validation("Invalid NextToken");
    return call.arena.make<Request>(arn, std::span<const JsonNode>());
  }

  // Returns all tags at once, although the documentation mentions pages.
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

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.resource_arn});
  }
};

}  // namespace

Operation list_tags_of_resource_row() { return define<ListTagsOfResource>(); }

}  // namespace stator
