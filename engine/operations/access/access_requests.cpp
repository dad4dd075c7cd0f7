#include "engine/operations/access/access_requests.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "engine/call/scope.h"
#include "engine/call/settings.h"
#include "engine/catalog/catalog.h"
#include "engine/operations/access/named_attributes.h"
#include "engine/operations/access/partition_values.h"
#include "engine/operations/access/readable_resources.h"
#include "engine/operations/access/text_set.h"
#include "engine/operations/operation.h"
#include "engine/pages/read_target.h"
#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/memory/arena.h"
#include "protocol/service/arn.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

constexpr std::string_view kStreamPart = "/stream/";

// From the narrowest to the widest.
constexpr std::string_view kSelects[] = {"COUNT", "SPECIFIC_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES",
                                         "ALL_ATTRIBUTES"};
constexpr std::string_view kReturnValues[] = {"NONE", "UPDATED_OLD", "UPDATED_NEW", "ALL_OLD",
                                              "ALL_NEW"};
constexpr std::string_view kReturnedCapacities[] = {"NONE", "TOTAL", "INDEXES"};

// What the resource's text names, and the table if there is one.
struct ResourcePlace {
  std::string table_arn;  // empty where no table is named
  std::string arn;
  std::string_view rest;  // of the ARN in the request, after the table's name
  const Table* table = nullptr;
};

ResourcePlace place_of(const Resource& resource, const Call& call, const Snapshot& snapshot) {
  const std::string_view region = call.caller.region;
  const std::string_view account_id = call.settings->account_id;
  ResourcePlace place;
  if (resource.reach == Reach::Account) {
    place.arn = "*";
    return place;
  }
  if (resource.reach == Reach::AllTables) {
    place.arn = table_arn(region, account_id, "*");
    return place;
  }
  const auto parsed = parse_table_arn(resource.table);
  const std::string_view name = parsed ? parsed->table_name : resource.table;
  Arena arena;
  // Not Snapshot::find_table(), which reports missing tables: the request itself will do that. A
  // restore may name a table of another Region by its ARN, whose policy and tags then count.
  const std::string_view scope = scope_in(parsed ? parsed->region : region, call, arena);
  place.table = snapshot.catalog().find(scope, name, snapshot.now());
  if (parsed) {
    place.rest = parsed->rest;
    place.table_arn = resource.table.substr(0, resource.table.size() - parsed->rest.size());
    if (place.table != nullptr && place.table->arn() != place.table_arn) place.table = nullptr;
  } else {
    place.table_arn =
        place.table != nullptr ? place.table->arn() : table_arn(region, account_id, name);
  }
  place.arn = resource.index.empty() ? std::string(place.table_arn).append(place.rest)
                                     : index_arn(place.table_arn, resource.index);
  return place;
}

// In any status but Gone; empty if there is no such index.
std::optional<ReadTarget> touched_target(const Table& table, std::string_view index,
                                         Timestamp now) {
  ReadTarget target{.table = &table};
  if (index.empty()) return target;
  const auto local = std::find_if(table.local_indexes.begin(), table.local_indexes.end(),
                                  [&](const LocalIndex& one) { return one.name == index; });
  if (local != table.local_indexes.end()) {
    target.local = &*local;
  } else {
    target.global = table.find_global_index(index, now);
  }
  if (!target.is_index()) return std::nullopt;
  return target;
}

// Replaces `value` by `other` if that comes later in the order.
void widen(std::string_view& value, std::string_view other,
           std::span<const std::string_view> order) {
  const auto place = [&](std::string_view text) {
    return std::find(order.begin(), order.end(), text);
  };
  if (value.empty() || (!other.empty() && place(value) < place(other))) value = other;
}

void set_if_any(access::RequestContext& context, std::string_view name, std::string_view value) {
  if (!value.empty()) context.set(name, value);
}

// One action on one resource, of all the request's items that have it.
class AccessDraft {
 public:
  AccessDraft(std::string_view action, std::size_t member, ResourcePlace place)
      : action_(action), member_(member), place_(std::move(place)) {}

  bool is_of(std::string_view action, std::size_t member, const ResourcePlace& place) const {
    return action == action_ && member == member_ && place.arn == place_.arn;
  }

  void add(const Resource& resource, Timestamp now, Arena& scratch) {
    std::optional<ReadTarget> target;
    if (place_.table != nullptr) target = touched_target(*place_.table, resource.index, now);
    values_.add(resource, target ? &*target : nullptr);
    add_named_attributes(resource, attributes_, scratch);
    is_incomplete_ = is_incomplete_ || resource.is_incomplete;
    widen(select_, resource.select, kSelects);
    widen(return_values_, resource.return_values, kReturnValues);
    widen(return_consumed_capacity_, resource.return_consumed_capacity, kReturnedCapacities);
    enclosing_operation_ = resource.enclosing_operation;
    tags_ = resource.tags;
    tag_keys_ = resource.tag_keys;
  }

  // It has nothing afterwards.
  TouchedAccess finish(Timestamp now) {
    TouchedAccess access;
    constexpr std::string_view kService = "dynamodb:";
    access.action.reserve(kService.size() + action_.size());
    access.action.append(kService).append(action_);
    access.member = member_;
    write_keys(access.context);
    write_tags(access.context);
    describe_table(access, now);
    access.resource = std::move(place_.arn);
    access.table_arn = std::move(place_.table_arn);
    return access;
  }

 private:
  void write_keys(access::RequestContext& context) {
    values_.write_to(context);
    if (is_incomplete_) {
      context.set_unknowable("dynamodb:Attributes", /*is_multi_valued=*/true);
    } else if (!attributes_.empty()) {
      context.set_list("dynamodb:Attributes", attributes_.take());
    }
    set_if_any(context, "dynamodb:Select", select_);
    set_if_any(context, "dynamodb:ReturnValues", return_values_);
    set_if_any(context, "dynamodb:ReturnConsumedCapacity", return_consumed_capacity_);
    set_if_any(context, "dynamodb:EnclosingOperation", enclosing_operation_);
  }

  void write_tags(access::RequestContext& context) const {
    std::vector<std::string> names;
    for (const JsonNode& tag : tags_) {
      const std::string_view name = *string_member(tag, "Key");
      context.set(std::string("aws:RequestTag/").append(name), *string_member(tag, "Value"));
      names.emplace_back(name);
    }
    for (const JsonNode& name : tag_keys_) names.emplace_back(name.text());
    if (!names.empty()) context.set_list("aws:TagKeys", std::move(names));
  }

  // Backups, exports and imports have neither tags nor a policy.
  void describe_table(TouchedAccess& access, Timestamp now) const {
    if (place_.table == nullptr) return;
    const Table& table = *place_.table;
    const bool is_stream = place_.rest.starts_with(kStreamPart);
    if (!place_.rest.empty() && !is_stream) return;
    access.resource_tags = table.tags;
    if (!is_stream) {
      if (table.policy) access.resource_policy = table.policy->document_at(now);
      return;
    }
    const auto& stream = table.stream;
    const bool is_latest = stream && stream->label == place_.rest.substr(kStreamPart.size());
    if (is_latest && stream->policy) access.resource_policy = stream->policy->document_at(now);
  }

  std::string_view action_;
  std::size_t member_;
  ResourcePlace place_;
  PartitionValues values_;
  TextSet attributes_;
  bool is_incomplete_ = false;
  std::string_view select_;
  std::string_view return_values_;
  std::string_view return_consumed_capacity_;
  std::string_view enclosing_operation_;
  std::span<const JsonNode> tags_;
  std::span<const JsonNode> tag_keys_;
};

std::vector<TouchedAccess> accesses_to(const Resources& resources, const Call& call,
                                       const Snapshot& snapshot) {
  Arena scratch;
  std::vector<AccessDraft> drafts;
  for (const Resource& resource : resources) {
    const std::string_view action =
        resource.action.empty() ? call.operation->name : resource.action;
    ResourcePlace place = place_of(resource, call, snapshot);
    auto draft = std::find_if(drafts.begin(), drafts.end(), [&](const AccessDraft& one) {
      return one.is_of(action, resource.member, place);
    });
    if (draft == drafts.end())
      draft = drafts.emplace(drafts.end(), action, resource.member, std::move(place));
    draft->add(resource, snapshot.now(), scratch);
  }
  std::vector<TouchedAccess> accesses;
  accesses.reserve(drafts.size());
  std::transform(drafts.begin(), drafts.end(), std::back_inserter(accesses),
                 [&](AccessDraft& draft) { return draft.finish(snapshot.now()); });
  return accesses;
}

}  // namespace

std::vector<TouchedAccess> touched_accesses(const Call& call, const Snapshot& snapshot) {
  Resources resources;
  call.operation->resources(call.request, resources);
  return accesses_to(resources, call, snapshot);
}

std::vector<TouchedAccess> readable_accesses(const JsonNode& body, Call& call,
                                             const Snapshot& snapshot) {
  return accesses_to(readable_resources(body, call), call, snapshot);
}

}  // namespace stator
