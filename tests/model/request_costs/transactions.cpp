// Transactions: a hundred actions on items as large as they get.
#include <functional>
#include <string>

#include "tests/model/request_costs/cases.h"

namespace stator::costs {
namespace {

constexpr std::size_t kActions = 100;

using ActionOf = std::function<std::string(const std::string& key)>;

std::string key_of(const std::string& kind, std::size_t number) {
  return R"({"pk":{"S":"many )" + kind + R"("},"sk":{"S":")" + digits(number, 3) + R"("}})";
}

Case transaction(const std::string& name, const std::string& kind, const ActionOf& action) {
  std::string actions;
  for (std::size_t i = 0; i < kActions; ++i) {
    actions.append(i == 0 ? "" : ",");
    actions.append(action(R"("TableName":"ttt","Key":)" + key_of(kind, i)));
  }
  return {"transaction: " + kind + ", " + name, "TransactWriteItems",
          R"({"TransactItems":[)" + actions + "]}"};
}

bool is_text(const std::string& kind) {
  return kind == "prose" || kind == "pairs" || kind == "overlaps" || kind == "sparse";
}

// What none of the items holds: of a text, most of its bytes.
std::string absent(const std::string& kind, std::size_t number) {
  if (kind == "text") return letters(200, number) + "c";
  if (kind == "prose") return prose(8, 1000 + number);
  if (kind == "pairs") return hard_text(kind, 32, 1000 + number);
  if (kind == "sparse") return hard_text(kind, 300, 1000 + number);
  if (kind == "overlaps") {
    std::string text = hard_text(kind, 100 + number, 1000 * number);
    text[number * 7 % text.size()] ^= 'a' ^ 'b';
    return text;
  }
  return digits(number, 3);
}

// As many searches as a condition may have for what is not there: for so many things.
std::string searches(const std::string& kind, std::size_t distinct) {
  Expression terms(" OR ");
  std::string values;
  for (std::size_t i = 0; terms.add("contains(a,:" + std::to_string(i % distinct) + ")"); ++i) {
    if (i >= distinct) continue;
    values.append(i == 0 ? "\":" : ",\":").append(std::to_string(i)).append(R"(":{"S":")");
    values.append(absent(kind, i)).append("\"}");
  }
  return R"(,"ConditionExpression":")" + terms.text() + R"(","ExpressionAttributeValues":{)" +
         values + "}";
}

// The same in statements, whose conditions are joined by AND alone: each is true.
std::string searching_statement(const std::string& kind, std::size_t number) {
  std::string where = R"(pk='many )" + kind + R"(' AND sk=')" + digits(number, 3) + "'";
  for (std::size_t i = 0; i < 98; ++i) {
    where.append(" AND NOT contains(a,'")
        .append(is_text(kind) ? absent(kind, i) : digits(i, 3) + "c")
        .append("')");
  }
  return R"({"Statement":"UPDATE ttt SET b=1 WHERE )" + where + "\"}";
}

Case statements(const std::string& operation, const std::string& member, std::size_t count,
                const std::string& kind) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i)
    all.append(i == 0 ? "" : ",").append(searching_statement(kind, i));
  return {"transaction: " + kind + ", " + operation, operation,
          "{\"" + member + "\":[" + all + "]}"};
}

const std::vector<std::string>& kinds_of_transactions() {
  static const std::vector<std::string> all = {"text",    "prose",   "pairs", "overlaps", "sparse",
                                               "empties", "strings", "map",   "set"};
  return all;
}

}  // namespace

std::vector<Case> items_of_transactions(const Scale& scale) {
  std::vector<Case> cases;
  for (const std::string& kind : kinds_of_transactions()) {
    for (std::size_t i = 0; i < kActions; ++i) {
      std::string item = key_of(kind, i);
      item.pop_back();
      cases.push_back({"store many", "PutItem",
                       R"({"TableName":"ttt","Item":)" + item + R"(,"a":)" +
                           value_of(kind, scale.item()) + "}}"});
    }
  }
  return cases;
}

std::vector<Case> transactions(const Scale& /*scale*/, Random& /*random*/) {
  const std::string told = R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD")";
  std::vector<Case> cases;
  for (const std::string& kind : kinds_of_transactions()) {
    const std::string searched = searches(kind, 1000);
    const std::string searched_again = searches(kind, 1);
    const auto add = [&](const std::string& name, const ActionOf& action) {
      cases.push_back(transaction(name, kind, action));
    };
    add("searches in vain",
        [&](const std::string& key) { return R"({"ConditionCheck":{)" + key + searched + "}}"; });
    add("one search again and again", [&](const std::string& key) {
      return R"({"ConditionCheck":{)" + key + searched_again + "}}";
    });
    add("all old items", [&](const std::string& key) {
      return R"({"Delete":{)" + key + told + R"x(,"ConditionExpression":"attribute_exists(b)"}})x";
    });
    add("updates", [&](const std::string& key) {
      return R"({"Update":{)" + key +
             R"(,"UpdateExpression":"SET b = :b","ExpressionAttributeValues":{":b":{"S":"x"}}}})";
    });
    const auto add_update = [&](const std::string& name, const std::string& expression,
                                const std::string& value) {
      add(name, [&](const std::string& key) {
        return R"({"Update":{)" + key + R"(,"UpdateExpression":")" + expression +
               R"(","ExpressionAttributeValues":{":b":)" + value + "}}}";
      });
    };
    if (kind == "empties" || kind == "strings") {
      add_update("an element set", "SET a[0] = :b", R"({"S":"x"})");
      add_update("an element appended", "SET a = list_append(a,:b)", R"({"L":[{"S":"x"}]})");
    } else if (kind == "map") {
      add_update("a member set", "SET a.b = :b", R"({"S":"x"})");
    } else if (kind == "set") {
      add_update("an element added", "ADD a :b", R"({"SS":["x"]})");
    }
    cases.push_back(statements("ExecuteTransaction", "TransactStatements", kActions, kind));
    cases.push_back(statements("BatchExecuteStatement", "Statements", 25, kind));
    add("deletes", [&](const std::string& key) { return R"({"Delete":{)" + key + "}}"; });
  }
  return cases;
}

}  // namespace stator::costs
