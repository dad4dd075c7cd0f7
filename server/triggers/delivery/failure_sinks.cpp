#include "server/triggers/delivery/failure_sinks.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "server/log/log.h"

namespace stator::triggers {

namespace {

namespace fs = std::filesystem;

// The file appears under its name when it is complete.
bool write_message(const fs::path& path, const std::string& message) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  fs::path unfinished = path;
  unfinished += ".part";
  {
    std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
    file << message;
    file.close();
    if (!file) return false;
  }
  fs::rename(unfinished, path, error);
  return !error;
}

}  // namespace

FailureSinks::Delivery FailureSinks::deliver(std::string_view destination, std::string_view key,
                                             const std::string& message) const {
  if (destination.empty()) return {"the mapping has no destination", {}};
  const auto sink = std::find_if(
      options_.sinks.begin(), options_.sinks.end(),
      [destination](const FailureSink& candidate) { return candidate.arn == destination; });
  if (sink == options_.sinks.end()) return {"no --function-destination names the ARN", {}};
  if (sink->target) return {"being sent", message_call(*sink, message)};
  // The key has a mapping's UUID and a shard's id, so it stays below the folder.
  const fs::path path = fs::path(sink->folder) / key;
  if (write_message(path, message)) return {"written to " + path.string(), {}};
  std::string why = "cannot write " + path.string();
  log::error("failure destination: " + why);
  return {std::move(why), {}};
}

}  // namespace stator::triggers
