#include "server/templates/tree/read_tree.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "protocol/text/utf8.h"
#include "server/templates/tree/json_nodes.h"
#include "server/templates/tree/yaml_reader.h"

namespace stator::templates {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kTooLarge = "it has more than 16 MiB, which no template has";

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

// The place of a byte, with the column in bytes.
Spot spot_at(std::uint16_t file, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {file, line + 1, static_cast<std::uint32_t>(offset - start + 1)};
}

// The first byte of the line that is no UTF-8 is near enough for people.
std::size_t first_bad_line(std::string_view text) {
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find('\n', start);
    const bool is_last = end == std::string_view::npos;
    if (!is_valid_utf8(text.substr(start, is_last ? end : end - start)) || is_last) return start;
    start = end + 1;
  }
}

std::optional<Mistake> check_characters(const Forest& forest, std::uint16_t file,
                                        std::string_view text) {
  if (text.size() > kTextBytesMax) return forest.mistake({file, 0, 0}, std::string(kTooLarge));
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos)
    return forest.mistake(spot_at(file, text, nul), "it has a NUL byte, so it is no text");
  if (is_valid_utf8(text)) return std::nullopt;
  Spot spot = spot_at(file, text, first_bad_line(text));
  spot.column = 0;
  return forest.mistake(spot, "this line is no valid UTF-8");
}

}  // namespace

tl::expected<std::string, Mistake> read_text_file(const std::string& path) {
  const auto fail = [&](std::string_view text) {
    return tl::unexpected(Mistake{{path}, std::string(text)});
  };
  const std::unique_ptr<std::FILE, CloseFile> file(path == "-" ? stdin
                                                               : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return fail(compose({"cannot be opened: ", std::strerror(errno)}));
  std::string text;
  constexpr std::size_t kBlockBytes = 65536;
  while (text.size() <= kTextBytesMax) {
    const std::size_t before = text.size();
    text.resize(before + kBlockBytes);
    const std::size_t taken = std::fread(text.data() + before, 1, kBlockBytes, file.get());
    text.resize(before + taken);
    if (taken == 0) break;
  }
  if (std::ferror(file.get()) != 0)
    return fail(compose({"cannot be read: ", std::strerror(errno)}));
  if (text.size() > kTextBytesMax) return fail(kTooLarge);
  return text;
}

tl::expected<Node, Mistake> read_tree(Forest& forest, const std::string& path, std::string text) {
  if (forest.file_count() >= kFilesMax)
    return tl::unexpected(Mistake{{path}, "too many files are included"});
  const std::uint16_t file = forest.add_file(path);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (const auto wrong = check_characters(forest, file, text)) return tl::unexpected(*wrong);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool may_be_json = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  if (!may_be_json) return read_yaml(forest, file, text);
  auto json = read_json_nodes(forest, file, text);
  if (json || path.ends_with(".json")) return json;
  // YAML has brackets too, with `{a: 1}` in them.
  auto yaml = read_yaml(forest, file, text);
  return yaml || path.ends_with(".yml") || path.ends_with(".yaml") ? yaml : json;
}

}  // namespace stator::templates
