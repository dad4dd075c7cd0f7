#include "engine/schema/kinesis.h"

namespace stator {

std::string_view to_text(KinesisPrecision precision) {
  return precision == KinesisPrecision::Microsecond ? "MICROSECOND" : "MILLISECOND";
}

std::string_view to_text(KinesisState state) {
  switch (state) {
    case KinesisState::Enabling:
      return "ENABLING";
    case KinesisState::Active:
      return "ACTIVE";
    case KinesisState::Disabled:
      return "DISABLED";
    case KinesisState::EnableFailed:
      break;
  }
  return "ENABLE_FAILED";
}

std::string_view KinesisDestination::status(Timestamp now) const {
  if (now >= changing_until) return to_text(state);
  if (state == KinesisState::Disabled) return "DISABLING";
  return is_updating ? "UPDATING" : "ENABLING";
}

std::string_view KinesisStream::status(Timestamp now) const {
  if (deleting_until) return "DELETING";
  return now < creating_until ? "CREATING" : "ACTIVE";
}

std::string KinesisStream::arn() const { return kinesis_stream_arn(region, account_id, name); }

std::string kinesis_stream_arn(std::string_view region, std::string_view account_id,
                               std::string_view name) {
  std::string text = "arn:aws:kinesis:";
  text.append(region).append(":").append(account_id).append(":stream/").append(name);
  return text;
}

std::optional<KinesisArn> parse_kinesis_arn(std::string_view text) {
  constexpr std::string_view kStream = "stream/";
  const auto next = [&text] {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    text = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    return part;
  };
  if (next() != "arn") return std::nullopt;
  next();  // the partition, such as aws-cn
  KinesisArn arn;
  arn.service = next();
  arn.region = next();
  arn.account_id = next();
  if (arn.service.empty() || arn.region.empty()) return std::nullopt;
  if (arn.service != "kinesis" || !text.starts_with(kStream)) return arn;
  const std::string_view name = text.substr(kStream.size());
  if (name.find('/') == std::string_view::npos) arn.stream = name;  // else that of a consumer
  return arn;
}

}  // namespace stator
