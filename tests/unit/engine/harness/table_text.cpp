#include "tests/unit/engine/harness/table_text.h"

#include <map>
#include <regex>
#include <stdexcept>

#include "tests/cases/case_file.h"

namespace stator::test {
namespace {

// Keys in parentheses as a KeySchema; notes the types of their attributes.
std::string key_schema(const std::string& keys, std::map<std::string, std::string>& types) {
  std::string schema;
  std::string_view kind = "HASH";
  for (const std::string& part : split(keys, ", ")) {
    for (const std::string& key : split(part, "+")) {
      const std::size_t colon = key.find(':');
      const std::string name = key.substr(0, colon);
      types[name] = colon == std::string::npos ? "S" : key.substr(colon + 1);
      schema.append("{AttributeName: ").append(name).append(", KeyType: ").append(kind);
      schema.append("},");
    }
    kind = "RANGE";
  }
  return "KeySchema: [" + schema + "]";
}

}  // namespace

std::string create_table_request(std::string_view text) {
  static const std::regex kTable(R"(^(\S+) \(([^)]*)\))");
  static const std::regex kIndex(R"(^, (local|global) (\S+) \(([^)]*)\) (\w+)((?: \w+)*))");
  std::string rest(text);
  std::smatch match;
  if (!std::regex_search(rest, match, kTable)) throw std::runtime_error("no table: " + rest);
  std::map<std::string, std::string> types;
  const std::string partition = split(match.str(2), ", ").front();
  std::string request = "{TableName: " + match.str(1) + ", " + key_schema(match.str(2), types);
  std::map<std::string, std::string> indexes;  // by kind
  for (rest = match.suffix(); std::regex_search(rest, match, kIndex); rest = match.suffix()) {
    std::string& list = indexes[match.str(1)];
    const std::string keys = (match.str(1) == "local" ? partition + ", " : "") + match.str(3);
    list += "{IndexName: " + match.str(2) + ", " + key_schema(keys, types) +
            ", Projection: {ProjectionType: " + match.str(4);
    if (match.str(4) == "INCLUDE") {
      list += ", NonKeyAttributes: [" + replace_all(match.str(5).substr(1), " ", ", ") + "]";
    }
    list += "}},";
  }
  if (indexes.count("local") != 0) request += ", LocalSecondaryIndexes: [" + indexes["local"] + "]";
  if (indexes.count("global") != 0) {
    request += ", GlobalSecondaryIndexes: [" + indexes["global"] + "]";
  }
  request += ", AttributeDefinitions: [";
  for (const auto& [name, type] : types) {
    request += "{AttributeName: " + name + ", AttributeType: " + type + "},";
  }
  request += "]";
  const bool has_more = rest.starts_with(" {") && rest.ends_with("}");
  if (!rest.empty() && !has_more) throw std::runtime_error("no index, no members: " + rest);
  if (has_more) request += ", " + rest.substr(2, rest.size() - 3);
  if (rest.find("ProvisionedThroughput:") == std::string::npos) {
    request += ", BillingMode: PAY_PER_REQUEST";
  }
  return strict_json(request + "}");
}

}  // namespace stator::test
