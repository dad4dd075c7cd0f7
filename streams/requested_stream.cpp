#include "streams/requested_stream.h"

#include <string>

#include "engine/state/stream_life.h"
#include "engine/storage/journal.h"
#include "engine/storage/stream_store.h"

namespace stator {

Result<StreamArn> parse_stream_arn(std::string_view text) {
  constexpr std::string_view kStream = "/stream/";
  const auto table = parse_table_arn(text);
  if (!table || !table->rest.starts_with(kStream) || table->rest.size() == kStream.size())
    return Error::validation("Invalid StreamArn");
  return StreamArn{text, *table, table->rest.substr(kStream.size())};
}

Result<Stream> find_requested(const StreamArn& arn, const Snapshot& snapshot, const Call& call) {
  Arena arena;
  STATOR_TRY(auto stream,
             storage::find_stream(snapshot.transaction(),
                                  {scope_of(call, arena), arn.table.table_name, arn.label}));
  const bool is_meant =
      stream && stream->region == arn.table.region && stream->account_id == arn.table.account_id;
  if (!is_meant) return stream_not_found(arn.text);
  return *std::move(stream);
}

Error stream_not_found(std::string_view arn) {
  std::string message = "Requested resource not found: Stream: ";
  return Error::resource_not_found(message.append(arn).append(" not found"));
}

Result<std::optional<std::uint64_t>> trim_horizon(const Stream& stream, const Snapshot& snapshot) {
  return storage::consumer_position(snapshot.transaction(), stream.table, consumer_of(stream));
}

Error invalid_stream_parameter(std::string_view text) {
  std::string message = "One or more parameter values were invalid: ";
  return Error::validation(message.append(text));
}

}  // namespace stator
