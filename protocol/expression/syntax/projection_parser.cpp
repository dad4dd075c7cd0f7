// The grammar of ProjectionExpression.
#include <vector>

#include "protocol/expression/syntax/parser.h"
#include "protocol/expression/syntax/text_parser.h"

namespace stator::expr {
namespace {

class ProjectionParser final : private TextParser {
 public:
  ProjectionParser(std::string_view text, const Messages& messages, Arena& arena)
      : TextParser(text, Language::Projection, messages, arena) {}

  Result<std::span<Path>> parse() {
    STATOR_CHECK(check_size());
    std::vector<Path> paths;
    do {
      STATOR_TRY(const Path path, parse_path());
      paths.push_back(path);
    } while (accept(Token::Kind::Comma));
    STATOR_CHECK(check_end());
    STATOR_CHECK(check_paths());
    return keep(paths);
  }

 private:
  void note_argument(const Operand& /*operand*/) override {}  // a projection has none
};

}  // namespace

Result<std::span<Path>> parse_projection_text(std::string_view text, const Messages& messages,
                                              Arena& arena) {
  return ProjectionParser(text, messages, arena).parse();
}

}  // namespace stator::expr
