// The bodies of CreateEventSourceMapping and UpdateEventSourceMapping as values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/json/json_tree.h"
#include "server/triggers/api/lambda_error.h"
#include "server/triggers/mapping.h"

namespace stator::triggers {

inline constexpr std::size_t kFiltersMax = 10;
inline constexpr std::size_t kTagsMax = 50;

using MappingTags = std::map<std::string, std::string>;

struct MappingRequest {
  std::optional<std::string> event_source_arn;
  std::optional<std::string> function_name;
  std::optional<std::string> starting_position;
  // What the body says of the settings, put over those of an existing mapping, or the defaults.
  // function_arn is not set.
  MappingSettings settings;
  bool has_on_success = false;  // a destination that streams do not have
  std::string not_for_streams;  // the first member that only other sources have; empty: none
  MappingTags tags;
};

// Checks types and the model's constraints, not what depends on the source. `is_new`: of a Create.
LambdaResult<MappingRequest> read_mapping_request(const JsonNode& body, MappingSettings base,
                                                  bool is_new);

// {"name": "value"}, at most kTagsMax.
LambdaResult<MappingTags> read_tags(const JsonNode& node);

}  // namespace stator::triggers
