// Transactions: a hundred actions on items as large as they get.
#include <functional>
#include <string>

#include "tests/model/request_costs/cases.h"

namespace stator::costs {
namespace {

constexpr std::size_t kActions = 100;

using ActionOf = std::function<std::string(const std::string& key)>;

Case transaction(const std::string& name, const ActionOf& action) {
  std::string actions;
  for (std::size_t i = 0; i < kActions; ++i) {
    const std::string key =
        R"("TableName":"ttt","Key":{"pk":{"S":"many"},"sk":{"S":")" + digits(i, 3) + R"("}})";
    actions.append(i == 0 ? "" : ",").append(action(key));
  }
  return {"transaction: " + name, "TransactWriteItems", R"({"TransactItems":[)" + actions + "]}"};
}

}  // namespace

std::vector<Case> items_of_transactions(const Scale& scale) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < kActions; ++i) {
    cases.push_back({"store many", "PutItem",
                     R"({"TableName":"ttt","Item":{"pk":{"S":"many"},"sk":{"S":")" + digits(i, 3) +
                         R"("},"a":)" + value_of("text", scale.item()) + "}}"});
  }
  return cases;
}

std::vector<Case> transactions(const Scale& /*scale*/, Random& /*random*/) {
  Expression terms(" OR ");
  std::string values;
  for (std::size_t i = 0; i < 20; ++i) {
    const std::string placeholder = ":v" + std::to_string(i);
    terms.add("contains(a," + placeholder + ")");
    values.append(i == 0 ? "\"" : ",\"").append(placeholder).append(R"(":{"S":")");
    values.append(letters(200, i)).append("c\"}");
  }
  const std::string searched = R"(,"ConditionExpression":")" + terms.text() +
                               R"(","ExpressionAttributeValues":{)" + values + "}";
  const std::string told = R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD")";
  return {
      transaction(
          "searches in vain",
          [&](const std::string& key) { return R"({"ConditionCheck":{)" + key + searched + "}}"; }),
      transaction("all old items",
                  [&](const std::string& key) {
                    return R"({"Delete":{)" + key + told +
                           R"x(,"ConditionExpression":"attribute_exists(b)"}})x";
                  }),
      transaction("updates",
                  [&](const std::string& key) {
                    return R"({"Update":{)" + key +
                           R"(,"UpdateExpression":"SET b = :b","ExpressionAttributeValues":{)"
                           R"(":b":{"S":"x"}}}})";
                  }),
      transaction("deletes", [&](const std::string& key) { return R"({"Delete":{)" + key + "}}"; }),
  };
}

}  // namespace stator::costs
