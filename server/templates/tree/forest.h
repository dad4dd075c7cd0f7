// Forest: what holds the nodes of a template and of the files that it includes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/memory/arena.h"
#include "server/templates/desired_table.h"
#include "server/templates/tree/node.h"

namespace stator::templates {

// Bounds of a template; each gives a mistake.
inline constexpr std::size_t kDepthMax = 64;
inline constexpr std::size_t kTextBytesMax = std::size_t{16} << 20;
// Of YAML, with aliases expanded. JSON, which has no aliases, may be sample data.
inline constexpr std::size_t kYamlNodesMax = 100'000;
inline constexpr std::size_t kJsonNodesMax = 2'000'000;
// What functions and variables may produce.
inline constexpr std::size_t kMadeNodesMax = 1'000'000;
inline constexpr std::size_t kMadeBytesMax = std::size_t{64} << 20;
inline constexpr std::size_t kFilesMax = 1000;

// The pieces as one text.
std::string compose(std::initializer_list<std::string_view> pieces);

class Forest {
 public:
  Arena& arena() { return arena_; }

  // The number of a file for Spot. REQUIRES: fewer than kFilesMax files so far.
  std::uint16_t add_file(std::string path);
  std::size_t file_count() const { return files_.size(); }
  const std::string& file(Spot spot) const { return files_.at(spot.file); }

  Place place(Spot spot) const;
  Mistake mistake(Spot spot, std::string text) const { return {place(spot), std::move(text)}; }

  // Holds a text that nodes refer to, at an address that stays.
  std::string& hold(std::string text) { return texts_.emplace_back(std::move(text)); }

  // Nodes with copies of what they get. They count towards kMadeNodesMax and kMadeBytesMax.
  Node make_scalar(std::string_view text, bool is_quoted, Spot spot);
  Node make_list(std::span<const Node> elements, Spot spot);
  Node make_map(std::span<const Member> members, Spot spot);
  // Whether more was made than those bounds allow. Ask before going on.
  bool is_exhausted() const { return made_nodes_ > kMadeNodesMax || made_bytes_ > kMadeBytesMax; }

 private:
  Arena arena_;
  std::vector<std::string> files_;
  std::deque<std::string> texts_;
  std::size_t made_nodes_ = 0;
  std::size_t made_bytes_ = 0;
};

}  // namespace stator::templates
