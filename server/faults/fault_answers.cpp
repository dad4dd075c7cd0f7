#include "server/faults/fault_answers.h"

#include <utility>

#include "engine/call/scope.h"
#include "engine/capacity/throttling_error.h"
#include "protocol/json/json_writer.h"
#include "protocol/service/arn.h"
#include "protocol/service/error_texts.h"

namespace stator::faults {

namespace {

using capacity::Dimension;
using capacity::Limit;
using capacity::ThrottlingReason;

constexpr std::pair<std::string_view, ErrorCode> kCancellations[] = {
    {"ConditionalCheckFailed", ErrorCode::ConditionalCheckFailed},
    {"DuplicateItem", ErrorCode::DuplicateItem},
    {"ItemCollectionSizeLimitExceeded", ErrorCode::ItemCollectionSizeLimitExceeded},
    {"TransactionConflict", ErrorCode::TransactionConflict},
    {"ProvisionedThroughputExceeded", ErrorCode::ProvisionedThroughputExceeded},
    {"ThrottlingError", ErrorCode::Throttling},
};

// Further ones of statements in a batch.
constexpr std::pair<std::string_view, ErrorCode> kMemberErrors[] = {
    {"InternalServerError", ErrorCode::InternalServerError},
    {"RequestLimitExceeded", ErrorCode::RequestLimitExceeded},
};

Limit usual_limit(ErrorCode code) {
  if (code == ErrorCode::ProvisionedThroughputExceeded) return Limit::ProvisionedThroughput;
  return code == ErrorCode::Throttling ? Limit::KeyRangeThroughput : Limit::Account;
}

Error throttled(ErrorCode code, std::vector<capacity::ThrottledResource> resources) {
  const bool is_throttling = code == ErrorCode::Throttling;
  for (auto& resource : resources) resource.is_on_demand = is_throttling;
  return throttling_error(resources, is_throttling ? capacity::IndexErrors::AlwaysThrottling
                                                   : capacity::IndexErrors::ByCause);
}

// The ARN of the first table that the request names, or of its index.
std::string arn_of(const RequestFacts& facts, std::string_view account_id) {
  if (facts.resources.empty()) return {};
  const Resource& resource = facts.resources.front();
  const std::string table = table_arn(facts.region, account_id, table_name_of(resource.table));
  return resource.index.empty() ? table : index_arn(table, resource.index);
}

Error throttled_request(const FaultError& fault, const RequestFacts& facts,
                        std::string_view account_id) {
  const std::string arn = arn_of(facts, account_id);
  std::vector<capacity::ThrottledResource> resources;
  for (const NamedReason& named : fault.reasons)
    resources.push_back({named.reason, false, named.resource.empty() ? arn : named.resource});
  if (resources.empty()) {
    const bool is_index = !facts.resources.empty() && !facts.resources.front().index.empty();
    const Dimension dimension = facts.access == Access::Read ? Dimension::Read : Dimension::Write;
    resources.push_back({{is_index, dimension, usual_limit(fault.code)}, false, arn});
  }
  return throttled(fault.code, std::move(resources));
}

// Without a message: nullopt.
std::optional<std::string_view> known_text(ErrorCode code) {
  switch (code) {
    case ErrorCode::ConditionalCheckFailed:
      return kConditionFailedText;
    case ErrorCode::DuplicateItem:
      return kDuplicateItemText;
    case ErrorCode::TransactionConflict:
      return kTransactionConflictText;
    case ErrorCode::ItemCollectionSizeLimitExceeded:
      return kCollectionSizeText;
    case ErrorCode::IdempotentParameterMismatch:
      return kTokenMismatchText;
    case ErrorCode::TransactionInProgress:
      return kTransactionInProgressText;
    case ErrorCode::ReplicatedWriteConflict:
      return kReplicatedWriteConflictText;
    case ErrorCode::ExpiredIterator:
      return kExpiredIteratorText;
    case ErrorCode::TrimmedDataAccess:
      return kTrimmedDataText;
    case ErrorCode::InternalFailure:
      return std::string_view();
    default:
      return std::nullopt;
  }
}

// Of a table in its first seconds.
std::string backups_unavailable_text(const RequestFacts& facts) {
  std::string table;
  if (!facts.resources.empty()) table = table_name_of(facts.resources.front().table);
  return "Backups are being enabled for the table: " + table + ". Please retry later";
}

std::string cancellation_text(ErrorCode code) {
  if (const auto text = known_text(code)) return std::string(*text);
  FaultError fault;
  fault.code = code;
  return throttled_request(fault, {.operation = {}, .access = Access::Write}, {}).message();
}

std::string_view cancellation_name(ErrorCode code) {
  for (const auto& [name, known] : kCancellations)
    if (known == code) return name;
  return {};
}

}  // namespace

std::optional<ErrorCode> find_error(std::string_view name) {
  for (std::size_t i = 0; i < kErrorCodes; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (error_info(code).name == name) return code;
  }
  return std::nullopt;
}

std::vector<std::string> error_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kErrorCodes; ++i)
    names.emplace_back(error_info(static_cast<ErrorCode>(i)).name);
  return names;
}

std::optional<ThrottlingReason> find_reason(std::string_view name) {
  for (const bool is_index : {false, true}) {
    for (const Dimension dimension : {Dimension::Read, Dimension::Write}) {
      for (std::size_t limit = 0; limit < capacity::kLimits; ++limit) {
        const ThrottlingReason reason{is_index, dimension, static_cast<Limit>(limit)};
        if (to_text(reason) == name) return reason;
      }
    }
  }
  return std::nullopt;
}

std::optional<ErrorCode> find_cancellation(std::string_view name) {
  for (const auto& [text, code] : kCancellations)
    if (text == name) return code;
  return std::nullopt;
}

std::optional<ErrorCode> find_member_error(std::string_view name) {
  for (const auto& [text, code] : kMemberErrors)
    if (text == name) return code;
  return find_cancellation(name);
}

bool has_reasons(ErrorCode code) {
  return code == ErrorCode::ProvisionedThroughputExceeded || code == ErrorCode::Throttling ||
         code == ErrorCode::RequestLimitExceeded;
}

ErrorCode code_of_reasons(const FaultError& error) {
  return throttled_request(error, {.operation = {}}, {}).code();
}

bool has_known_message(ErrorCode code) {
  return has_reasons(code) || known_text(code).has_value() ||
         code == ErrorCode::InternalServerError || code == ErrorCode::ResourceNotFound ||
         code == ErrorCode::ContinuousBackupsUnavailable;
}

Error error_of(const FaultError& fault, const RequestFacts& facts, std::string_view account_id) {
  if (has_reasons(fault.code)) {
    Error error = throttled_request(fault, facts, account_id);
    if (!fault.message) return error;
    return Error(fault.code, *fault.message).with_members(error.members());
  }
  if (fault.message) return Error(fault.code, *fault.message);
  if (fault.code == ErrorCode::InternalServerError) return Error::internal_server_error();
  if (fault.code == ErrorCode::ResourceNotFound)
    return Error::resource_not_found("Requested resource not found");
  if (fault.code == ErrorCode::ContinuousBackupsUnavailable)
    return Error(fault.code, backups_unavailable_text(facts));
  return Error(fault.code, std::string(known_text(fault.code).value_or("")));
}

Error error_of(const FaultUnprocessed& fault, const RequestFacts& facts,
               std::string_view account_id) {
  FaultError error;
  error.code = fault.error.value_or(ErrorCode::ProvisionedThroughputExceeded);
  return error_of(error, facts, account_id);
}

Error error_of(const FaultCancel& fault, const RequestFacts& facts) {
  std::string message(kCancelledText);
  std::string members = R"("CancellationReasons":[)";
  for (std::size_t i = 0; i < facts.resources.size(); ++i) {
    const auto found = fault.reasons.find(i);
    const auto code = found != fault.reasons.end() ? std::optional(found->second) : fault.of_all;
    if (i > 0) message += ", ";
    if (i > 0) members += ',';
    message += code ? cancellation_name(*code) : "None";
    members.append(R"({"Code":")").append(code ? cancellation_name(*code) : "None").append("\"");
    if (code) {
      members += R"(,"Message":)";
      append_json_string(members, cancellation_text(*code));
    }
    members += '}';
  }
  return Error(ErrorCode::TransactionCanceled, message + "]").with_members(members + "]");
}

}  // namespace stator::faults
