// Decides whether a table can stream to a Kinesis stream (conformance/observed/kinesis.md 1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/schema/table.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

// Why the service refuses a stream that it does not find, or finds but not ACTIVE.
inline constexpr std::string_view kKinesisNotPermitted =
    "User does not have a permission to use kinesis stream";

// What the ARN alone decides: why it is refused, else empty. With `is_own_account`, other accounts
// are refused too.
std::string kinesis_arn_refusal(const Table& table, std::string_view stream_arn,
                                bool is_own_account);

// Why a stream that this server would host is refused; empty: it is accepted.
Result<std::string> kinesis_refusal(const Table& table, std::string_view stream_arn,
                                    const storage::Transaction& transaction, Timestamp now);

// Makes the destination with this number ACTIVE, or ENABLE_FAILED if there is a reason. No-op if
// it is decided already.
void decide_kinesis(Table& table, std::uint64_t number, const std::string& reason);

}  // namespace stator
