#include "server/explain/hints/stream_waits.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "streams/iterator_token.h"
#include "streams/requested_stream.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

constexpr std::string_view kWays =
    "a child replaces it after --stream-rollover, four hours unless set; 'stator clock advance 5h' "
    "does that now, see 'a reader sees nothing' in docs/troubleshooting.md";

// The text of a member of the request's body; empty if the body is not recorded whole.
std::string asked_text(const RecentRequest& request, std::string_view name) {
  if (!request.is_whole(Part::Asked)) return {};
  std::string body(request.text(Part::Asked));
  Arena arena;
  const auto asked = read_json(body, arena);
  if (!asked || asked->kind() != JsonNode::Kind::Object) return {};
  const JsonNode* const member = asked->find(name);
  const bool is_text = member != nullptr && member->kind() == JsonNode::Kind::String;
  return is_text ? std::string(member->text()) : std::string();
}

std::string reader_of(const RecentRequest& request, std::string_view what) {
  return std::string(request.text(Part::AccessKey)).append("\n").append(what);
}

// The part of an iterator that names its stream and shard; empty if it is none of this store.
std::optional<IteratorToken> token_of(const StreamReader& streams, std::string_view iterator) {
  const auto secret = streams.secret();
  return secret && *secret ? read_token(iterator, **secret) : std::nullopt;
}

std::string shard_text(const IteratorToken& token) {
  return std::to_string(token.stream) + "/" + token.shard_id;
}

// Whether all shards of the stream are open; false if it has none.
bool has_only_open_shards(const StreamReader& streams, const Stream& stream) {
  bool has_any = false;
  for (std::string id;;) {
    const auto shard = streams.next_shard(stream.number, id);
    if (!shard) return false;
    if (!*shard) return has_any;
    if ((*shard)->end) return false;
    has_any = true;
    id = (*shard)->id;
  }
}

// Whether the stream has a record from before `time`.
bool has_record_before(const StreamReader& streams, const Stream& stream, Timestamp time) {
  const auto first_shard = streams.next_shard(stream.number, {});
  const auto horizon = streams.trim_horizon(stream);
  if (!first_shard || !*first_shard || !horizon || !*horizon) return false;
  const std::uint64_t first = std::max((*first_shard)->start, **horizon);
  const auto end = streams.end_of(**first_shard);
  if (!end) return false;
  const auto since = streams.first_since(stream, 0, first, *end);
  const auto later = streams.first_since(stream, time.unix_ms(), first, *end);
  return since && later && *since < *later;
}

}  // namespace

void StreamWaits::read_requests() {
  if (is_read_) return;
  is_read_ = true;
  recent_.look([this](const RecentRequest& request) {
    note(request);
    return true;
  });
}

void StreamWaits::note(const RecentRequest& request) {
  if (request.is_of_console || request.has_failed()) return;
  const std::string_view operation = request.text(Part::Operation);
  if (operation == "DescribeStream") {
    const std::string arn = asked_text(request, "StreamArn");
    if (arn.empty()) return;
    Reader& reader = descriptions_[reader_of(request, arn)];
    if (reader.times.empty()) reader.newest = request.number;
    if (reader.times.size() < kDescriptions) reader.times.push_back(request.time);
  } else if (operation == "GetShardIterator") {
    read_streams_.emplace(asked_text(request, "StreamArn"), true);
  } else if (operation == "GetRecords") {
    note_read(request, asked_text(request, "ShardIterator"));
  }
}

void StreamWaits::note_read(const RecentRequest& request, std::string_view iterator) {
  read_streams_.emplace(iterator.substr(0, iterator.find('|')), true);
  const auto token = token_of(streams_, iterator);
  if (!token) return;
  Reader& reader = empty_reads_[reader_of(request, shard_text(*token))];
  reader.has_ended =
      reader.has_ended ||
      !request.text(Part::Answered).starts_with(R"({"Records":[],"NextShardIterator":)");
  if (reader.has_ended || reader.times.size() == kEmptyReads) return;
  if (reader.times.empty()) reader.newest = request.number;
  reader.times.push_back(request.time);
}

std::string StreamWaits::hint_for(const RecentRequest& request, std::string_view scope) {
  const std::string_view operation = request.text(Part::Operation);
  const bool is_description = operation == "DescribeStream";
  if (!is_description && operation != "GetRecords") return {};
  read_requests();
  return is_description ? description_hint(request, scope) : read_hint(request);
}

std::string StreamWaits::description_hint(const RecentRequest& request,
                                          std::string_view scope) const {
  const std::string arn = asked_text(request, "StreamArn");
  const auto found = descriptions_.find(reader_of(request, arn));
  if (found == descriptions_.end() || read_streams_.contains(arn)) return {};
  const Reader& reader = found->second;
  const auto name = parse_stream_arn(arn);
  if (reader.newest != request.number || reader.times.size() < kDescriptions || !name) return {};
  const auto stream = streams_.find({scope, name->table.table_name, name->label});
  if (!stream || !*stream || (*stream)->closed || !has_only_open_shards(streams_, **stream) ||
      !has_record_before(streams_, **stream, reader.times.back()))
    return {};
  return std::string(
             "The stream has records, all its shards are open, and no request reads them. If the "
             "reader waits for a shard that has ended: ")
      .append(kWays);
}

std::string StreamWaits::read_hint(const RecentRequest& request) const {
  const auto token = token_of(streams_, asked_text(request, "ShardIterator"));
  if (!token) return {};
  const auto found = empty_reads_.find(reader_of(request, shard_text(*token)));
  if (found == empty_reads_.end()) return {};
  const Reader& reader = found->second;
  if (reader.newest != request.number || reader.times.size() < kEmptyReads) return {};
  // A clock that stands says nothing about pauses.
  const std::int64_t span_us = reader.times.front().unix_us - reader.times.back().unix_us;
  const auto gaps = static_cast<std::int64_t>(kEmptyReads - 1);
  if (span_us <= 0 || span_us >= gaps * std::chrono::microseconds(kPause).count()) return {};
  const auto shard = streams_.find_shard(token->stream, token->shard_id);
  if (!shard || !*shard || (*shard)->end) return {};
  return "The last " + std::to_string(kEmptyReads) +
         " reads of this shard came without a pause and found nothing. An open shard always "
         "answers with a NextShardIterator, so end the loop when Records is empty. To end the "
         "shard: " +
         std::string(kWays);
}

}  // namespace stator
