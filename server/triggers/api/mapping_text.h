// A mapping as the Lambda API answers it.
#pragma once

#include <string>
#include <string_view>

#include "protocol/json/json_writer.h"
#include "server/triggers/mapping.h"

namespace stator::triggers {

// What of a mapping depends on the moment.
struct MappingMoment {
  const MappingSettings& settings;
  MappingState state;
  std::string_view result;  // LastProcessingResult
};

void write_mapping(JsonWriter& json, const Mapping& mapping, const MappingMoment& moment);
std::string mapping_text(const Mapping& mapping, const MappingMoment& moment);

}  // namespace stator::triggers
