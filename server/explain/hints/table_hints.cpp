// Hints about tables: their names, and where they are.
#include <algorithm>
#include <cctype>
#include <set>

#include "protocol/errors/rule.h"
#include "protocol/service/arn.h"
#include "server/explain/hints/hints.h"
#include "server/explain/hints/schema_text.h"
#include "server/options/argument_errors.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

// Limits the search, so that a hint stays cheap.
constexpr std::size_t kScopesMax = 1000;
constexpr std::size_t kNamesMax = 1000;
constexpr std::size_t kNamesCompared = 50;
constexpr std::size_t kNamesTold = 5;
constexpr std::size_t kLettersWrongMax = 2;

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string scope_text(const HintInput& hinted, std::string_view scope) {
  if (hinted.settings.isolation == Isolation::Region) return "Region " + std::string(scope);
  return "access key and Region " + std::string(scope);
}

// Lists other scopes with a table of this name, or with any table if the request names none.
std::string places_of(const HintInput& hinted) {
  std::string places;
  std::size_t seen = 0;
  std::size_t told = 0;
  hinted.tables.visit_scopes([&](std::string_view scope) {
    const bool is_meant = hinted.table_name.empty()
                              ? hinted.tables.has_tables(scope)
                              : hinted.tables.find(scope, hinted.table_name) != nullptr;
    if (scope != hinted.scope && is_meant) {
      if (told++ > 0) places += ", ";
      places += scope_text(hinted, scope);
    }
    return ++seen < kScopesMax && told < kNamesTold;
  });
  return places;
}

bool is_equal_but_for_case(std::string_view one, std::string_view other) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(),
      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

// "Its tables are: a, b", or the most similar name.
std::string names_text(const HintInput& hinted) {
  std::vector<std::string> near;
  std::string first;
  std::string same_but_for_case;
  std::size_t seen = 0;
  hinted.tables.visit_tables(hinted.scope, [&](const Table& table) {
    const std::string& name = table.name;
    if (is_equal_but_for_case(name, hinted.table_name)) same_but_for_case = name;
    if (seen < kNamesTold) first.append(seen > 0 ? ", " : "").append(name);
    if (seen == kNamesTold) first += ", …";
    const bool is_near = name.size() + kLettersWrongMax >= hinted.table_name.size() &&
                         name.size() <= hinted.table_name.size() + kLettersWrongMax;
    if (is_near && near.size() < kNamesCompared) near.push_back(name);
    return ++seen < kNamesMax && same_but_for_case.empty();
  });
  if (seen == 0) return "there are no tables at all";
  if (!same_but_for_case.empty())
    return "names tell upper from lower case, did you mean " + same_but_for_case + "?";
  const std::string meant = did_you_mean(hinted.table_name, near);
  return meant.empty() ? "its tables are: " + first : meant.substr(meant.find_first_not_of(", "));
}

// eu-west-1, us-gov-east-1
bool is_aws_region(std::string_view region) {
  const std::size_t last = region.rfind('-');
  if (last == std::string_view::npos || region.find('-') == last || region.find('-') != 2)
    return false;
  const std::string_view number = region.substr(last + 1);
  return !number.empty() && std::all_of(number.begin(), number.end(),
                                        [](unsigned char c) { return std::isdigit(c) != 0; });
}

// How the ARN in a failed request differs from this server's account or the request's Region; empty
// if it does not.
std::string foreign_arn_text(const HintInput& hinted) {
  if (!hinted.request.has_failed()) return {};
  const std::string& account = hinted.settings.account_id;
  const std::string_view region = hinted.text(Part::Region);
  for (const std::string_view name : {"TableName", "ResourceArn", "StreamArn"}) {
    const JsonNode* const member = hinted.member(name);
    if (member == nullptr || member->kind() != JsonNode::Kind::String) continue;
    const auto arn = parse_table_arn(member->text());
    if (!arn) continue;
    std::string wrong;
    if (arn->account_id != account)
      wrong = "is of account " + quoted(arn->account_id) + ", here it is " + account;
    if (!region.empty() && arn->region != region)
      wrong.append(wrong.empty() ? "" : ", and ")
          .append("is of Region " + quoted(arn->region) + ", the request is signed for " +
                  quoted(region));
    if (wrong.empty()) continue;
    return "The ARN in " + std::string(name) + " " + wrong +
           ": take ARNs from answers instead of putting them together";
  }
  return {};
}

using Names = std::set<std::string, std::less<>>;

void collect_names(const JsonNode* list, Names& names) {
  if (list == nullptr || list->kind() != JsonNode::Kind::Array) return;
  for (const JsonNode& element : list->elements()) {
    if (element.kind() != JsonNode::Kind::Object) continue;
    const JsonNode* const name = element.find("AttributeName");
    if (name != nullptr && name->kind() == JsonNode::Kind::String) names.emplace(name->text());
  }
}

void collect_index_keys(const JsonNode* indexes, Names& names) {
  if (indexes == nullptr || indexes->kind() != JsonNode::Kind::Array) return;
  for (const JsonNode& index : indexes->elements()) {
    if (index.kind() == JsonNode::Kind::Object) collect_names(index.find("KeySchema"), names);
  }
}

std::string those_missing(const Names& from, const Names& in) {
  std::string missing;
  for (const std::string& name : from) {
    if (in.count(name) > 0) continue;
    missing.append(missing.empty() ? "" : ", ").append(name);
  }
  return missing;
}

}  // namespace

void hint_at_missing_table(const HintInput& hinted, std::vector<std::string>& hints) {
  const bool is_missing = hinted.has_failed_with("ResourceNotFoundException") ||
                          hinted.has_failed_with("TableNotFoundException");
  if (!is_missing || hinted.table_name.empty()) return;
  if (!foreign_arn_text(hinted).empty()) return;
  if (hinted.table != nullptr) {
    hints.push_back("Table " + quoted(hinted.table_name) + " is " +
                    std::string(to_text(hinted.table->status(hinted.now))) +
                    " by now; it was not, or not yet ACTIVE, when the request came: wait for it "
                    "(the waiter TableExists) before using it");
    return;
  }
  const bool is_isolated = hinted.settings.isolation != Isolation::None;
  const std::string places = is_isolated ? places_of(hinted) : std::string();
  if (!places.empty()) {
    hints.push_back("There is a table " + quoted(hinted.table_name) + " for " + places +
                    "; this request was signed for " + scope_text(hinted, hinted.scope));
    hints.push_back(
        "With --isolate none, DynamoDB Local's -sharedDb, all would see the same tables; "
        "the cloud keeps Regions and accounts apart");
    return;
  }
  hints.push_back("There is no table " + quoted(hinted.table_name) +
                  (is_isolated ? " for " + scope_text(hinted, hinted.scope) : "") + ": " +
                  names_text(hinted));
}

// For an empty list of tables although other scopes have some.
void hint_at_tables_elsewhere(const HintInput& hinted, std::vector<std::string>& hints) {
  if (hinted.text(Part::Operation) != "ListTables" || hinted.request.has_failed() ||
      hinted.settings.isolation == Isolation::None ||
      hinted.text(Part::Answered).find("\"TableNames\":[]") == std::string_view::npos ||
      hinted.tables.has_tables(hinted.scope))
    return;
  const std::string places = places_of(hinted);
  if (places.empty()) return;
  hints.push_back("There are no tables for " + scope_text(hinted, hinted.scope) +
                  ", but there are for " + places);
}

void hint_at_foreign_region(const HintInput& hinted, std::vector<std::string>& hints) {
  const std::string_view region = hinted.text(Part::Region);
  const bool is_of_use = hinted.text(Part::Operation) == "CreateTable" ||
                         hinted.has_failed_with("ResourceNotFoundException");
  if (!is_of_use || region.empty() || is_aws_region(region)) return;
  std::string hint = quoted(region) + " is no Region of AWS, a habit of emulators";
  if (hinted.settings.isolation != Isolation::None)
    hint += ": tables made for it are seen by no other Region here, and the cloud has none";
  hints.push_back(std::move(hint));
}

void hint_at_foreign_arn(const HintInput& hinted, std::vector<std::string>& hints) {
  std::string hint = foreign_arn_text(hinted);
  if (!hint.empty()) hints.push_back(std::move(hint));
}

void hint_at_missing_index(const HintInput& hinted, std::vector<std::string>& hints) {
  if (hinted.table == nullptr || hinted.request.rule != Rule::IndexExists) return;
  if (!hinted.table->has_indexes()) {
    hints.push_back("Table " + quoted(hinted.table_name) + " has no indexes");
    return;
  }
  std::vector<std::string> names;
  for (const KeyChoice& choice : key_choices(*hinted.table))
    if (!choice.index_name.empty()) names.emplace_back(choice.index_name);
  const JsonNode* const asked = hinted.member("IndexName");
  const bool is_text = asked != nullptr && asked->kind() == JsonNode::Kind::String;
  hints.push_back(key_choices_text(*hinted.table) +
                  (is_text ? did_you_mean(asked->text(), names) : ""));
}

void hint_at_definitions(const HintInput& hinted, std::vector<std::string>& hints) {
  const Rule rule = hinted.request.rule;
  if ((rule != Rule::DefinedKeys && rule != Rule::DefinitionCount) ||
      hinted.text(Part::Operation) != "CreateTable" || !hinted.is_asked_whole)
    return;
  Names defined;
  collect_names(hinted.member("AttributeDefinitions"), defined);
  Names keys;
  collect_names(hinted.member("KeySchema"), keys);
  collect_index_keys(hinted.member("LocalSecondaryIndexes"), keys);
  collect_index_keys(hinted.member("GlobalSecondaryIndexes"), keys);
  const std::string unused = those_missing(defined, keys);
  const std::string undefined = those_missing(keys, defined);
  if (!unused.empty()) {
    hints.push_back("No key of the table or of an index: " + unused +
                    ". AttributeDefinitions takes keys alone; other attributes need no definition");
  }
  if (!undefined.empty()) {
    hints.push_back("Keys without a type in AttributeDefinitions: " + undefined);
  }
}

}  // namespace stator
