// The User-Agents of Stator's own tools. Explanations and throughput lines in the log omit their
// requests, which would hide those of the user's program.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace stator::own_tools {

inline constexpr std::string_view kImport = "stator-import";
inline constexpr std::string_view kExport = "stator-export";
inline constexpr std::string_view kCopy = "stator-copy";
inline constexpr std::string_view kSeed = "stator-seed";
inline constexpr std::string_view kConsole = "stator-console";
inline constexpr std::array kAll = {kImport, kExport, kCopy, kSeed, kConsole};

// What `stator mcp` sends for an agent, whose requests are listed like those of other clients, with
// an origin of their own.
inline constexpr std::string_view kMcp = "stator-mcp";

// Whether a User-Agent is exactly one of kAll.
constexpr bool is_one(std::string_view user_agent) {
  return std::find(kAll.begin(), kAll.end(), user_agent) != kAll.end();
}

}  // namespace stator::own_tools
