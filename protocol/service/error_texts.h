// Messages of errors that more than one folder answers.
#pragma once

#include <string_view>

namespace stator {

inline constexpr std::string_view kConditionFailedText = "The conditional request failed";
inline constexpr std::string_view kDuplicateItemText = "Duplicate primary key exists in table";
inline constexpr std::string_view kTransactionConflictText = "Transaction is ongoing for the item";
inline constexpr std::string_view kCollectionSizeText = "Collection size exceeded.";
inline constexpr std::string_view kTokenMismatchText =
    "The request's parameters are not those of the first one with this client token";
inline constexpr std::string_view kTransactionInProgressText =
    "Transaction from previous request is still in progress";
inline constexpr std::string_view kReplicatedWriteConflictText =
    "One or more items in the request are being modified by a request in another Region.";
inline constexpr std::string_view kExpiredIteratorText =
    "The shard iterator has expired and can no longer be used to retrieve stream records.";
inline constexpr std::string_view kTrimmedDataText =
    "The operation attempted to read past the oldest stream record in a shard.";
// Before the list of codes, which ends with a bracket.
inline constexpr std::string_view kCancelledText =
    "Transaction cancelled, please refer cancellation reasons for specific reasons [";

}  // namespace stator
