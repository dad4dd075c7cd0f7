#include "server/templates/tree/forest.h"

#include <cassert>
#include <utility>

namespace stator::templates {

std::string compose(std::initializer_list<std::string_view> pieces) {
  std::size_t size_bytes = 0;
  for (const std::string_view piece : pieces) size_bytes += piece.size();
  std::string text;
  text.reserve(size_bytes);
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

std::uint16_t Forest::add_file(std::string path) {
  assert(files_.size() < kFilesMax);
  files_.push_back(std::move(path));
  return static_cast<std::uint16_t>(files_.size() - 1);
}

Place Forest::place(Spot spot) const {
  return {spot.file < files_.size() ? files_[spot.file] : std::string(), spot.line, spot.column};
}

Node Forest::make_scalar(std::string_view text, bool is_quoted, Spot spot) {
  ++made_nodes_;
  made_bytes_ += text.size();
  return Node::scalar(arena_.copy(text), is_quoted, spot);
}

Node Forest::make_list(std::span<const Node> elements, Spot spot) {
  made_nodes_ += 1 + elements.size();
  return Node::list(arena_.copy(elements), spot);
}

Node Forest::make_map(std::span<const Member> members, Spot spot) {
  made_nodes_ += 1 + members.size();
  return Node::map(arena_.copy(members), spot);
}

}  // namespace stator::templates
