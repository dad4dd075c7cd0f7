// UntagResource.

#include <algorithm>

#include "engine/operations/define.h"
#include "engine/operations/tags/tag_requests.h"
#include "engine/schema/table.h"
#include "engine/state/mutation.h"
#include "engine/tables/tags.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct UntagResource {
  static constexpr std::string_view name = "UntagResource";
  static constexpr Layer layer = Layer::Classic;
  static constexpr bool only_frees_space = true;
  using Request = TagRequest;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_tag_body(body, model::kUntagResourceInput, call));
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

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.resource_arn, .tag_keys = request.elements});
  }
};

}  // namespace

Operation untag_resource_row() { return define<UntagResource>(); }

}  // namespace stator
