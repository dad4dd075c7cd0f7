// See serving_process.h.

#include "server/cli/commands/serving_process.h"

#include <sys/stat.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "server/cli/command_line/command_line.h"

namespace stator {

namespace {

namespace fs = std::filesystem;

struct FileId {
  dev_t device;
  ino_t inode;

  bool operator==(const FileId&) const = default;
};

// Follows links, also those of /proc to a file that was moved since.
std::optional<FileId> file_id(const fs::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileId{found.st_dev, found.st_ino};
}

std::optional<int> process_number(const std::string& name) {
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

// The options of the process in `folder` if it is a server whose command line can be read. The file
// separates arguments by zero bytes.
std::optional<Options> served_by(const fs::path& folder) {
  std::ifstream file{folder / "cmdline", std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
  std::vector<const char*> arguments;
  for (std::size_t start = 0; start < text.size(); start += std::strlen(arguments.back()) + 1) {
    arguments.push_back(text.c_str() + start);
  }
  if (arguments.empty()) return std::nullopt;
  auto command = parse_command(static_cast<int>(arguments.size()), arguments.data());
  if (!command || !std::holds_alternative<Options>(*command)) return std::nullopt;
  return std::get<Options>(*std::move(command));
}

}  // namespace

HealthOptions aimed_at_serving_process(HealthOptions options, const fs::path& proc) {
  const auto own_file = file_id(proc / "self" / "exe");
  if (!own_file) return options;
  std::optional<Options> chosen;
  int chosen_number = 0;
  std::error_code error;
  for (fs::directory_iterator entry{proc, error}, end; !error && entry != end;
       entry.increment(error)) {
    const auto number = process_number(entry->path().filename().string());
    if (!number || file_id(entry->path() / "exe") != own_file) continue;
    auto served = served_by(entry->path());
    if (!served || served->port == 0) continue;
    const auto rank = [&options](const Options& candidate, int candidate_number) {
      return std::pair{candidate.port != options.port, candidate_number};
    };
    if (chosen && rank(*chosen, chosen_number) < rank(*served, *number)) continue;
    chosen = std::move(served);
    chosen_number = *number;
  }
  if (!chosen) return options;
  options.host = chosen->host;
  options.port = chosen->port;
  options.is_tls = chosen->tls.is_on();
  return options;
}

}  // namespace stator
