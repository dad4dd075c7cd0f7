#include "streams/requested_stream.h"

#include <string>

#include "engine/call/scope.h"
#include "protocol/service/common_errors.h"

namespace stator {

Result<StreamArn> parse_stream_arn(std::string_view text) {
  constexpr std::string_view kStream = "/stream/";
  const auto table = parse_table_arn(text);
  if (!table || !table->rest.starts_with(kStream) || table->rest.size() == kStream.size())
    return Error::validation("Invalid StreamArn");
  return StreamArn{text, *table, table->rest.substr(kStream.size())};
}

Result<Stream> find_requested(const StreamArn& arn, const StreamReader& streams, const Call& call) {
  Arena arena;
  STATOR_TRY(auto stream, streams.find({scope_of(call, arena), arn.table.table_name, arn.label}));
  if (!stream || stream->arn() != arn.text) return stream_not_found(arn.text);
  return *std::move(stream);
}

Error stream_not_found(std::string_view arn) {
  return resource_not_found(std::string("Stream: ").append(arn).append(" not found"));
}

Error invalid_stream_parameter(std::string_view text) {
  return invalid_parameter(std::string(text));
}

}  // namespace stator
