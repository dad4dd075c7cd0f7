// Updates and projections.
#include <string>

#include "tests/model/request_costs/cases.h"

namespace stator::costs {
namespace {

std::string update(const std::string& kind, const std::string& expression,
                   const std::string& values) {
  return R"({"TableName":"ttt","Key":{"pk":{"S":")" + kind +
         R"("},"sk":{"S":"1"}},"UpdateExpression":")" + expression + "\"" +
         (values.empty() ? "" : R"(,"ExpressionAttributeValues":{)" + values + "}") + "}";
}

// "b0 = <what>, b1 = <what>, …" behind `clause`.
std::string many(const std::string& clause, const std::string& between, const std::string& what) {
  Expression all(",");
  std::size_t i = 0;
  while (all.text().size() + clause.size() + what.size() + 12 < 4096 &&
         all.add("b" + std::to_string(i) + between + what)) {
    ++i;
  }
  return clause + " " + all.text();
}

std::string chain(const std::string& element, bool is_left) {
  std::string text = element;
  while (text.size() + element.size() + 25 < 4096) {
    text = is_left ? "list_append(" + text + "," + element + ")"
                   : "list_append(" + element + "," + text + ")";
  }
  return "SET b = " + text;
}

std::string indexes(std::size_t first, std::size_t step, const std::string& before,
                    const std::string& behind) {
  Expression all(",");
  std::size_t i = first;
  while (all.text().size() < 4050 && all.add(before + "[" + std::to_string(i) + "]" + behind))
    i -= step;
  return all.text();
}

void add_projections(const Scale& scale, std::vector<Case>& cases) {
  const auto page = [&](const std::string& name, const std::string& kind,
                        const std::string& projection) {
    cases.push_back({"projection: " + name, "Query",
                     R"({"TableName":"ttt","KeyConditionExpression":"pk = :pk",)"
                     R"("ProjectionExpression":")" +
                         projection + R"(","ExpressionAttributeValues":{":pk":{"S":")" + kind +
                         R"("}}})"});
  };
  page("whole lists", "empties", "a");
  page("last elements", "empties", indexes(scale.item() - 2, 1, "a", ""));
  page("elements of a deep list", "deep",
       indexes(scale.item() - 200, 1, repeated("a", 21, "."), ""));
  Expression paths(",");
  for (std::size_t i = 0; paths.add("a" + std::to_string(i)); ++i) {
  }
  page("missing attributes", "attributes", paths.text());
  page("missing attributes of tiny items", "tiny", paths.text());
  page("whole attributes", "attributes", "pk,sk," + paths.text().substr(0, 4000 - 4000 % 5 - 3));
  Expression clash(",");
  std::string names;
  const std::string long_name(scale.item(60'000), 'n');
  for (std::size_t i = 0; clash.add("#" + std::to_string(i % 25) + ".a" + std::to_string(i)); ++i) {
    if (i < 25)
      names += (i == 0 ? "\"#" : ",\"#") + std::to_string(i) + "\":\"" + long_name +
               std::to_string(i) + "\"";
  }
  clash.add("x,x");
  cases.push_back({"projection: clash of long names", "GetItem",
                   R"({"TableName":"ttt","Key":{"pk":{"S":"text"},"sk":{"S":"1"}},)"
                   R"("ProjectionExpression":")" +
                       clash.text() + R"(","ExpressionAttributeNames":{)" + names + "}}"});
}

}  // namespace

std::vector<Case> updates(const Scale& scale, Random& random) {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, const std::string& kind,
                       const std::string& expression, const std::string& values = "") {
    cases.push_back(
        {"update: " + kind + ", " + name, "UpdateItem", update(kind, expression, values)});
  };
  for (const std::string kind : {"empties", "nulls", "maps", "strings"}) {
    const std::string list = R"(":v":)" + value_of(kind, scale.item());
    add("append to itself", kind, many("SET", "=", "list_append(a,a)"));
    add("chain of appends", kind, chain("a", /*is_left=*/true));
    add("chain from the right", kind, chain("a", /*is_left=*/false));
    add("append a value", kind, many("SET", "=", "list_append(:v,:v)"), list);
    add("nested if_not_exists", kind,
        many("SET", "=", "list_append(if_not_exists(c,a),if_not_exists(c,a))"));
    add("append to elements", kind, many("SET", "=", "list_append(a,:v)"),
        R"(":v":{"L":[{"S":""}]})");
    add("remove elements", kind,
        "REMOVE " + indexes(scale.item() / 6 - 1 - random() % 7, 3, "a", ""));
    add("set elements", kind, "SET " + indexes(scale.item() / 6 - 1, 5, "a", "=a[1]"));
  }
  for (const std::string& kind : kinds()) {
    add("copies", kind, many("SET", "=", "a"));
    add("copies of the deep", kind, many("SET", "=", "if_not_exists(c,a)"));
    add("copies of a value", kind, many("SET", "=", ":v"),
        R"(":v":)" + value_of(kind, scale.item()));
  }
  for (const std::string kind : {"set", "numbers set"}) {
    const std::string large = R"(":v":)" + value_of(kind, scale.item(1'900'000), true);
    const std::string same = R"(":v":)" + value_of(kind, scale.item());
    add("add to many", kind, many("ADD", " ", ":v"), large);
    add("delete from many", kind, many("DELETE", " ", ":v"), large);
    add("add the same", kind, "ADD a :v", same);
    add("delete the most", kind, "DELETE a :v", R"(":v":)" + value_of(kind, scale.item(), true));
  }
  add_projections(scale, cases);
  return cases;
}

}  // namespace stator::costs
