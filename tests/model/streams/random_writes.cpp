#include "tests/model/streams/random_writes.h"

#include <array>

#include "tests/unit/engine/harness/engine_driver.h"

namespace stator::model {
namespace {

constexpr std::int64_t kHour_s = 3600;

// Besides the key, in the order in which items show them around it.
constexpr std::array kAttributes{"g", "ttl", "v"};

std::string member(const std::string& name, const std::string& value) {
  return "\"" + name + "\":" + value;
}
std::string key_member(const std::string& key) { return member("pk", R"({"S":")" + key + "\"}"); }

std::string attribute_of(const std::string& item, const std::string& name) {
  return test::Answer{true, item, 0}.member(name);
}

std::string with_attribute(const std::string& item, const std::string& key, const std::string& name,
                           const std::string& value) {
  std::string text = "{";
  for (const std::string attribute : kAttributes) {
    if (attribute == "ttl") text += key_member(key);
    const std::string kept = attribute == name ? value : attribute_of(item, attribute);
    if (kept.empty()) continue;
    if (attribute != "g") text += ",";
    text += member(attribute, kept);
    if (attribute == "g") text += ",";
  }
  return text + "}";
}

class Writer {
 public:
  Writer(std::int64_t now_s, std::mt19937_64& random) : now_s_(now_s), random_(random) {}

  std::uint64_t pick(std::uint64_t below) { return random_() % below; }

  // Empty: the item has no such attribute.
  std::string value(const std::string& name) {
    if (name == "v") return text(std::to_string(pick(3)));
    if (name == "g") return pick(2) == 0 ? text("g" + std::to_string(pick(3))) : "";
    if (pick(16) == 0) return text("1");  // no number: it never expires
    if (pick(4) != 0) return "";
    const std::int64_t hour = now_s_ / kHour_s - 1 + static_cast<std::int64_t>(pick(6));
    return R"({"N":")" + std::to_string(hour * kHour_s) + "\"}";
  }

  std::string item(const std::string& key) {
    std::string made;
    for (const std::string name : kAttributes) made = with_attribute(made, key, name, value(name));
    return made;
  }

 private:
  static std::string text(const std::string& value) { return R"({"S":")" + value + "\"}"; }

  std::int64_t now_s_;
  std::mt19937_64& random_;
};

std::string its_key(const ItemWrite& write) { return R"("Key":{)" + key_member(write.key) + "}"; }

// Members of UpdateItem and of the action Update.
std::string update_members(const ItemWrite& write) {
  const std::string clause = write.value.empty() ? "REMOVE #a" : "SET #a = :v";
  std::string text = its_key(write) + R"(,"UpdateExpression":")" + clause +
                     R"(","ExpressionAttributeNames":{"#a":")" + write.attribute + "\"}";
  if (!write.value.empty()) text += R"(,"ExpressionAttributeValues":{":v":)" + write.value + "}";
  return text;
}

std::string members_of(const ItemWrite& write) {
  switch (write.verb) {
    case ItemWrite::Verb::Put:
      return R"("Item":)" + write.after;
    case ItemWrite::Verb::Delete:
      return its_key(write);
    case ItemWrite::Verb::Update:
      break;
  }
  return update_members(write);
}

std::string statement(const std::string& text, const std::string& parameters) {
  std::string request = R"({"Statement":")" + text + "\"";
  if (!parameters.empty()) request += R"(,"Parameters":[)" + parameters + "]";
  return request + "}";
}

}  // namespace

ItemWrite random_write(const std::string& key, const std::string& before, std::int64_t now_s,
                       std::mt19937_64& random) {
  Writer writer(now_s, random);
  ItemWrite write{.verb = ItemWrite::Verb::Put, .key = key, .before = before, .after = {}};
  const std::uint64_t dice = writer.pick(4);
  if (dice == 0) {
    write.verb = ItemWrite::Verb::Delete;
  } else if (dice == 1) {
    write.verb = ItemWrite::Verb::Update;
    write.attribute = kAttributes[writer.pick(kAttributes.size())];
    write.value = writer.value(write.attribute);
    // What only removes makes no item.
    if (!before.empty() || !write.value.empty())
      write.after = with_attribute(before, key, write.attribute, write.value);
  } else {
    write.after = writer.item(key);
  }
  return write;
}

const char* operation_of(const ItemWrite& write) {
  switch (write.verb) {
    case ItemWrite::Verb::Put:
      return "PutItem";
    case ItemWrite::Verb::Delete:
      return "DeleteItem";
    case ItemWrite::Verb::Update:
      break;
  }
  return "UpdateItem";
}

std::string request_of(const ItemWrite& write, const std::string& table) {
  return R"({"TableName":")" + table + "\"," + members_of(write) + "}";
}

std::string batch_element_of(const ItemWrite& write) {
  const bool is_put = write.verb == ItemWrite::Verb::Put;
  return (is_put ? R"({"PutRequest":{)" : R"({"DeleteRequest":{)") + members_of(write) + "}}";
}

std::string action_of(const ItemWrite& write, const std::string& table) {
  const std::string operation = operation_of(write);
  return "{\"" + operation.substr(0, operation.size() - 4) + "\":" + request_of(write, table) + "}";
}

std::string statement_of(const ItemWrite& write, const std::string& table) {
  const std::string where = " WHERE pk = '" + write.key + "'";
  const std::string name = R"(\")" + table + R"(\")";
  if (write.verb == ItemWrite::Verb::Delete) return statement("DELETE FROM " + name + where, "");
  if (write.verb == ItemWrite::Verb::Update) {
    if (write.before.empty()) return {};  // it makes none
    const bool sets = !write.value.empty();
    const std::string attribute = R"(\")" + write.attribute + R"(\")";
    const std::string clause = sets ? " SET " + attribute + " = ?" : " REMOVE " + attribute;
    std::string text = "UPDATE ";
    return statement(text.append(name).append(clause).append(where), write.value);
  }
  if (!write.before.empty()) return {};
  std::string members = "'pk': '" + write.key + "'";
  std::string parameters;
  for (const std::string attribute : kAttributes) {
    const std::string value = attribute_of(write.after, attribute);
    if (value.empty()) continue;
    members += ", '" + attribute + "': ?";
    parameters += (parameters.empty() ? "" : ",") + value;
  }
  return statement("INSERT INTO " + name + " VALUE {" + members + "}", parameters);
}

}  // namespace stator::model
