#include "server/faults/fault_rule.h"

#include <algorithm>

#include "protocol/model/operation_errors.h"

namespace stator::faults {

namespace {

std::string_view name_of(FaultToken::How how) {
  if (how == FaultToken::How::Forgotten) return "token forgotten";
  return how == FaultToken::How::Running ? "token running" : "token mismatch";
}

}  // namespace

std::string_view FaultEffect::name() const {
  if (const auto* error = std::get_if<FaultError>(&rest))
    return error->is_after ? "error after" : "error";
  if (std::holds_alternative<FaultCancel>(rest)) return "cancel";
  if (std::holds_alternative<FaultUnprocessed>(rest)) return "unprocessed";
  if (std::holds_alternative<FaultPage>(rest)) return "page";
  if (std::holds_alternative<FaultDrip>(rest)) return "drip";
  if (std::holds_alternative<FaultStale>(rest)) return "stale";
  if (std::holds_alternative<FaultHttp>(rest)) return "http";
  if (const auto* stream = std::get_if<FaultStream>(&rest))
    return stream->is_trimmed ? "stream trimmed" : "stream expired";
  if (const auto* token = std::get_if<FaultToken>(&rest)) return name_of(token->how);
  if (const auto* drop = std::get_if<FaultDrop>(&rest))
    return drop->is_after ? "drop after" : "drop before";
  if (const auto* corrupt = std::get_if<FaultCorrupt>(&rest)) {
    switch (corrupt->how) {
      case FaultCorrupt::How::Crc:
        return "corrupt crc";
      case FaultCorrupt::How::Byte:
        return "corrupt byte";
      case FaultCorrupt::How::Cut:
        return "corrupt cut";
      case FaultCorrupt::How::Empty:
        return "corrupt empty";
      case FaultCorrupt::How::Json:
        return "corrupt json";
    }
  }
  return "delay";
}

bool FaultEffect::is_after() const {
  if (const auto* error = std::get_if<FaultError>(&rest)) return error->is_after;
  if (const auto* drop = std::get_if<FaultDrop>(&rest)) return drop->is_after;
  return std::holds_alternative<FaultCorrupt>(rest);
}

bool can_answer(std::string_view operation, ErrorCode code) {
  const ErrorInfo& info = error_info(code);
  // The errors that all operations have in common are in no model.
  if (!info.prefix.starts_with("com.amazonaws.dynamodb.")) return true;
  const auto& rows = model::kOperationErrors;
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const auto& row) { return row.operation == operation; });
  return found != rows.end() &&
         std::find(found->errors.begin(), found->errors.end(), info.name) != found->errors.end();
}

}  // namespace stator::faults
