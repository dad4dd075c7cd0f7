// Filters and conditions.
#include <string>
#include <utility>

#include "tests/model/request_costs/cases.h"

namespace stator::costs {
namespace {

// A condition with its values, as they go into a request.
struct Terms {
  std::string name;
  std::string expression;
  std::string values;
};

std::string filter(const std::string& kind, const Terms& terms) {
  return R"({"TableName":"ttt","KeyConditionExpression":"pk = :pk","Select":"COUNT",)"
         R"("FilterExpression":")" +
         terms.expression + R"(","ExpressionAttributeValues":{":pk":{"S":")" + kind + R"("})" +
         terms.values + "}}";
}

std::string condition(const std::string& kind, const Terms& terms) {
  return R"({"TableName":"ttt","Key":{"pk":{"S":")" + kind +
         R"("},"sk":{"S":"1"}},"UpdateExpression":"SET z = :z","ConditionExpression":")" +
         terms.expression + R"(","ExpressionAttributeValues":{":z":{"S":"z"})" + terms.values +
         "}}";
}

std::string path_of(const std::string& kind) {
  return kind == "deep" ? repeated("a", 21, ".") : "a";
}

std::string value(std::size_t number, const std::string& json) {
  return ",\":" + std::to_string(number) + "\":" + json;
}

// As many terms as fit, each with a value of its own.
template <class Term, class Json>
Terms distinct(const std::string& name, const Term& term, const Json& json) {
  Expression expression(" OR ");
  std::string values;
  for (std::size_t i = 0;; ++i) {
    if (!expression.add(term(":" + std::to_string(i)))) break;
    values += value(i, json(i));
  }
  return {name, expression.text(), values};
}

// As many terms as fit, which share two values.
template <class Term>
Terms shared(const std::string& name, const Term& term, const std::string& json) {
  Expression expression(" OR ");
  while (expression.add(term(":0"))) {
  }
  return {name, expression.text(), value(0, json)};
}

// What a list or a set of the kind could hold, and does not; as long as what it holds.
std::string absent_element(const std::string& kind, std::size_t i) {
  if (kind == "numbers" || kind == "numbers set") return R"({"N":"-)" + digits(i + 5, 4) + R"("})";
  if (kind == "maps") return R"({"M":{"a":{"S":")" + digits(i, 3) + R"("}}})";
  return R"({"S":")" + digits(i, kind == "set" ? 7 : 3) + R"("})";
}

std::vector<Terms> terms_of(const std::string& kind, const Scale& scale, Random& random) {
  const std::string a = path_of(kind);
  const std::size_t size = scale.item();
  std::vector<Terms> all;
  const auto contains = [&](const std::string& v) { return "contains(" + a + "," + v + ")"; };
  const auto equals = [&](const std::string& v) { return a + "=" + v; };
  const auto is_size = [&](const std::string& v) { return "size(" + a + ")=" + v; };
  all.push_back(shared("equals", equals, value_of(kind, size, /*differs=*/true)));
  all.push_back(shared("size", is_size, R"({"N":"-1"})"));
  all.push_back(shared(
      "type", [&](const std::string& v) { return "attribute_type(" + a + "," + v + ")"; },
      R"({"S":"BOOL"})"));
  Expression in(" OR ");
  while (in.add(a + " IN (" + repeated(":0", 100) + ")")) {
  }
  all.push_back({"IN", in.text(), value(0, value_of(kind, size, /*differs=*/true))});
  if (kind == "text" || kind == "binary") {
    const auto between = [&](const std::string& v) { return a + " BETWEEN " + v + " AND " + v; };
    all.push_back(shared("between", between, value_of(kind, size, /*differs=*/true)));
  }
  if (kind == "text") {
    for (const std::size_t width : {2U, 16U, 64U, 256U, 257U, 4000U}) {
      all.push_back(distinct("contains " + std::to_string(width), contains, [&](std::size_t) {
        return R"({"S":")" + letters(width, random() % width) + R"("})";
      }));
    }
    all.push_back(
        shared("contains half", contains, R"({"S":")" + letters(size / 2 + 1, size / 2) + R"("})"));
  } else if (kind != "map" && kind != "binary") {
    all.push_back(
        distinct("contains", contains, [&](std::size_t i) { return absent_element(kind, i); }));
  }
  if (kind == "empties" || kind == "deep") {
    Expression elements(" OR ");
    std::size_t i = 0;
    while (elements.add(a + "[" + std::to_string(size - 2 * ++i) + "]=:0")) {
    }
    all.push_back({"elements", elements.text(), value(0, R"({"S":"x"})")});
    all.push_back({"lists",
                   [&] {
                     Expression lists(" OR ");
                     for (std::size_t k = 1; lists.add(repeated("a", k % 20 + 1, ".") + "=:0");
                          ++k) {
                     }
                     return lists.text();
                   }(),
                   value(0, value_of(kind, size, true))});
  }
  if (kind == "map") {
    Expression elements(" OR ");
    std::string names;
    for (std::size_t k = 1; elements.add("a.#" + std::to_string(k) + "=:0"); ++k) {
      names += (k == 1 ? "" : ",") + ("\"#" + std::to_string(k)) + "\":\"" +
               digits(size / 7 - k, 6) + "\"";
    }
    all.push_back({"members", elements.text(),
                   value(0, R"({"S":"x"})") + R"(},"ExpressionAttributeNames":{)" + names});
  }
  return all;
}

// Terms of all sorts, mixed at random.
Terms mixed(const std::string& kind, const Scale& scale, Random& random) {
  const std::string a = path_of(kind);
  Expression expression(random() % 2 == 0 ? " OR " : " AND NOT ");
  std::string values = value(0, value_of(kind, scale.item() / (1 + random() % 3), true));
  std::size_t next = 1;
  for (;;) {
    const std::string v = random() % 3 == 0 ? ":0" : ":" + std::to_string(next);
    std::string term;
    switch (random() % 5) {
      case 0:
        term = "contains(" + a + "," + v + ")";
        break;
      case 1:
        term = a + "=" + v;
        break;
      case 2:
        term = "size(" + a + ")<>" + v;
        break;
      case 3:
        term = a + "[" + std::to_string(random() % 400'000) + "]=" + v;
        break;
      default:
        term = "contains(" + a + (random() % 2 == 0 ? "[7]" : "") + "," + v + ")";
    }
    if (!expression.add(term)) break;
    if (v == ":0") continue;
    const std::size_t width = 1 + random() % 300;
    const bool is_element = random() % 2 == 0;
    values += value(next, is_element ? absent_element(kind, next)
                                     : R"({"S":")" + letters(width, random() % width) + R"("})");
    ++next;
  }
  if (expression.text().find(":0") == std::string::npos) values.erase(0, values.find(R"(,":1")"));
  return {"mixed", expression.text(), values};
}

// Over very many items.
std::vector<Terms> small_terms() {
  std::vector<Terms> all;
  const std::string json = R"({"S":"x"})";
  all.push_back(shared(
      "contains", [](const std::string& v) { return "contains(a," + v + ")"; }, json));
  all.push_back(shared(
      "equals", [](const std::string& v) { return "a=" + v; }, json));
  all.push_back(shared(
      "differs", [](const std::string& v) { return "NOT a<>" + v; }, json));
  Expression in(" OR ");
  while (in.add("a IN (" + repeated(":0", 100) + ")")) {
  }
  all.push_back({"IN", in.text(), value(0, json)});
  return all;
}

}  // namespace

std::vector<Case> conditions(const Scale& scale, Random& random) {
  std::vector<Case> cases;
  for (const std::string& kind : kinds()) {
    std::vector<Terms> all = terms_of(kind, scale, random);
    for (int i = 0; i < 2; ++i) all.push_back(mixed(kind, scale, random));
    for (const Terms& terms : all) {
      cases.push_back({"filter: " + kind + ", " + terms.name, "Query", filter(kind, terms)});
      cases.push_back(
          {"condition: " + kind + ", " + terms.name, "UpdateItem", condition(kind, terms)});
    }
  }
  for (const Terms& terms : small_terms())
    cases.push_back({"filter: tiny, " + terms.name, "Query", filter("tiny", terms)});
  return cases;
}

}  // namespace stator::costs
