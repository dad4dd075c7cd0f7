#include "engine/schema/stream.h"

#include <cstdio>
#include <ctime>

#include "protocol/service/arn.h"

namespace stator {

std::string_view to_text(StreamStatus status) {
  switch (status) {
    case StreamStatus::Enabling:
      return "ENABLING";
    case StreamStatus::Enabled:
      return "ENABLED";
    case StreamStatus::Disabling:
      return "DISABLING";
    case StreamStatus::Disabled:
      break;
  }
  return "DISABLED";
}

std::string shard_id(Timestamp opened, std::uint64_t start) {
  std::array<char, 48> text{};
  const int size = std::snprintf(text.data(), text.size(), "shardId-%020lld-%08x",
                                 static_cast<long long>(opened.unix_ms()),
                                 static_cast<unsigned>(start & 0xFFFFFFFF));
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string Stream::arn() const {
  return stream_arn(table_arn(region, account_id, table_name), label);
}

std::string stream_label(Timestamp created) {
  const std::time_t seconds = created.unix_s();
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::array<char, 8> milliseconds{};
  std::snprintf(milliseconds.data(), milliseconds.size(), ".%03d",
                static_cast<int>(created.unix_ms() % 1000));
  return std::string(date.data()) + milliseconds.data();
}

}  // namespace stator
