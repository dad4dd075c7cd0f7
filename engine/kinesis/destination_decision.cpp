#include "engine/kinesis/destination_decision.h"

#include "engine/storage/descriptions/kinesis_streams.h"

namespace stator {

std::string kinesis_arn_refusal(const Table& table, std::string_view stream_arn,
                                bool is_own_account) {
  const auto arn = parse_kinesis_arn(stream_arn);
  if (!arn) return std::string(kKinesisNotPermitted);
  const bool is_other_service = arn->service != "kinesis" && arn->service != "firehose";
  if (is_other_service) return std::string(kKinesisNotPermitted);
  if (arn->region != table.region)
    return "The kinesis Arn used to enable kinesis replication belongs to a stream which is not in "
           "the current region";
  const bool is_foreign = is_own_account && arn->account_id != table.account_id;
  if (arn->service == "firehose" || is_foreign)
    return "The kinesis Arn used to enable kinesis replication belongs to a stream which is not in "
           "Active state";
  return arn->stream.empty() ? std::string(kKinesisNotPermitted) : std::string();
}

Result<std::string> kinesis_refusal(const Table& table, std::string_view stream_arn,
                                    const storage::Transaction& transaction, Timestamp now) {
  std::string refusal = kinesis_arn_refusal(table, stream_arn, /*is_own_account=*/true);
  if (!refusal.empty()) return refusal;
  const auto arn = parse_kinesis_arn(stream_arn);
  STATOR_TRY(const auto stream,
             storage::find_kinesis_stream(transaction, table.scope, arn->stream));
  const bool is_active = stream && stream->status(now) == "ACTIVE";
  return is_active ? std::string() : std::string(kKinesisNotPermitted);
}

void decide_kinesis(Table& table, std::uint64_t number, const std::string& reason) {
  for (KinesisDestination& one : table.kinesis) {
    if (one.number != number || one.state != KinesisState::Enabling) continue;
    one.state = reason.empty() ? KinesisState::Active : KinesisState::EnableFailed;
    one.reason = reason;
  }
}

}  // namespace stator
