#include "server/triggers/mapping.h"

namespace stator::triggers {
namespace {

constexpr std::string_view kFunctionPart = ":function:";

// NAME[:QUALIFIER] of a function's ARN.
std::string_view name_and_qualifier(std::string_view arn) {
  const std::size_t at = arn.find(kFunctionPart);
  return at == std::string_view::npos ? std::string_view() : arn.substr(at + kFunctionPart.size());
}

}  // namespace

std::string_view to_text(StartingPosition position) {
  return position == StartingPosition::Latest ? "LATEST" : "TRIM_HORIZON";
}

std::string_view to_text(MappingState state) {
  switch (state) {
    case MappingState::Creating:
      return "Creating";
    case MappingState::Enabling:
      return "Enabling";
    case MappingState::Enabled:
      return "Enabled";
    case MappingState::Disabling:
      return "Disabling";
    case MappingState::Disabled:
      return "Disabled";
    case MappingState::Updating:
      return "Updating";
    case MappingState::Deleting:
      break;
  }
  return "Deleting";
}

std::string Mapping::arn() const {
  std::string text = "arn:aws:lambda:";
  text.append(region).append(":").append(account_id);
  return text.append(":event-source-mapping:").append(uuid);
}

MappingState Mapping::state(Timestamp now) const {
  if (is_deleted) return MappingState::Deleting;
  if (is_changing(now)) return change;
  return settings.is_enabled ? MappingState::Enabled : MappingState::Disabled;
}

bool Mapping::delivers(Timestamp now) const {
  if (is_deleted || (is_changing(now) && change == MappingState::Creating)) return false;
  return effective(now).is_enabled;
}

std::string_view function_name_of(std::string_view function_arn) {
  const std::string_view text = name_and_qualifier(function_arn);
  return text.substr(0, text.find(':'));
}

std::string_view function_qualifier_of(std::string_view function_arn) {
  const std::string_view text = name_and_qualifier(function_arn);
  const std::size_t at = text.find(':');
  return at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
}

}  // namespace stator::triggers
