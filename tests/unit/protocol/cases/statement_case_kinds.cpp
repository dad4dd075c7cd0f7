// Cases about PartiQL statements: how they print, what they ask for, what they do to an item.
#include <array>

#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/updates/update.h"
#include "protocol/partiql/lowering.h"
#include "protocol/partiql/statement_parser.h"
#include "protocol/partiql/statement_printer.h"
#include "tests/unit/protocol/cases/case_json.h"
#include "tests/unit/protocol/cases/case_kinds.h"

namespace stator::test {
namespace {

constexpr std::string_view kNotWellFormed = "Statement wasn't well formed, can't be processed: ";

// Bags are written otherwise in the files of cases, where their signs have a meaning.
std::string with_bags(std::string text) {
  return replace_all(replace_all(std::move(text), "«", "<<"), "»", ">>");
}
std::string without_bags(std::string text) {
  return replace_all(replace_all(std::move(text), "<<", "«"), ">>", "»");
}

std::string print(std::string_view text, bool& is_refused) {
  Arena arena;
  const auto parsed = partiql::parse_statement(text, arena);
  is_refused = !parsed;
  if (!parsed) return refusal(parsed.error(), kNotWellFormed);
  std::string out;
  partiql::append_statement(out, **parsed);
  return out;
}

// The canonical text; printing that again must not change it.
std::string syntax(std::string input, std::string_view, const CaseFields&) {
  bool is_refused = false;
  std::string once = print(with_bags(std::move(input)), is_refused);
  if (is_refused) return once;
  const std::string twice = print(once, is_refused);
  return once == twice ? without_bags(std::move(once))
                       : "printed as " + once + ", and that as " + twice;
}

// With @parameters, on @item.
std::string statement(std::string input, std::string_view, const CaseFields& fields) {
  CaseJson json;
  std::vector<Value> parameters;
  if (const auto found = fields.find("parameters"); found != fields.end()) {
    for (const JsonNode& node : json.read(found->second).elements()) {
      const auto value = decode_parameter(node, wording_of("classic"), json.arena);
      if (!value) throw std::runtime_error(value.error().message());
      parameters.push_back(*value);
    }
  }
  input = with_bags(std::move(input));
  const auto parsed = partiql::parse_statement(input, json.arena);
  if (!parsed) return refusal(parsed.error());
  const auto lowered = partiql::lower(**parsed, parameters, json.arena);
  if (!lowered) return refusal(lowered.error());
  if ((*lowered)->kind == partiql::Statement::Kind::Insert) return json_of((*lowered)->item);
  const auto found = fields.find("item");
  if (found == fields.end()) return "ok";
  const Item item = json.item(found->second);
  if ((*lowered)->update != nullptr) {
    const auto after = expr::apply_update(*(*lowered)->update, item, true, json.arena);
    return after ? json_of(*after) : refusal(after.error());
  }
  if ((*lowered)->where == nullptr) return "true";
  return expr::matches(*(*lowered)->where, item) ? "true" : "false";
}

}  // namespace

std::span<const CaseKind> statement_case_kinds() {
  static constexpr std::array kKinds = {
      CaseKind{"statement syntax", "", "", false, syntax},
      CaseKind{"statement", "", "item, parameters", true, statement},
  };
  return kKinds;
}

}  // namespace stator::test
