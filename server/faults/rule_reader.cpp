#include "server/faults/rule_reader.h"

#include <algorithm>
#include <utility>

#include "engine/api/control.h"
#include "engine/seams/iso_time.h"
#include "protocol/json/json_node_text.h"
#include "protocol/number/number.h"
#include "protocol/text/ascii_case.h"
#include "server/faults/effect_reader.h"
#include "server/faults/glob.h"
#include "server/faults/matching.h"
#include "server/faults/member_reader.h"

namespace stator::faults {

namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kTextBytesMax = 1024;  // of a glob
constexpr std::size_t kListMax = 100;
constexpr std::size_t kRuleBytesMax = 16 * 1024;
constexpr std::size_t kRulesBytesMax = 1024 * 1024;  // of those of one request or file

std::string glob_of(std::string_view what, const JsonNode& json) {
  const std::string_view text = text_of(what, json);
  if (text.size() > kTextBytesMax)
    refuse(std::string(what) + " is to have at most " + std::to_string(kTextBytesMax) + " bytes");
  return std::string(text);
}

// Calls `read` for the value, or for each element of a list.
template <class Read>
void read_each(std::string_view what, const JsonNode& json, const Read& read) {
  if (json.kind() != Kind::Array) return read(json);
  if (json.elements().empty() || json.elements().size() > kListMax)
    refuse(std::string(what) + " is to have 1 to " + std::to_string(kListMax) + " elements");
  for (const JsonNode& element : json.elements()) read(element);
}

OperationPattern read_operation(const JsonNode& json, std::span<const Operation> operations) {
  OperationPattern pattern;
  pattern.glob = glob_of("operation", json);
  pattern.group = find_group(pattern.glob);
  if (pattern.group) return pattern;
  std::vector<std::string> names = {"reads",        "writes",  "batches",
                                    "transactions", "control", "streams"};
  for (const Operation& operation : operations) {
    if (glob_fits(pattern.glob, operation.name)) return pattern;
    names.emplace_back(operation.name);
  }
  refuse("no such operation: " + in_quotes(pattern.glob) + did_you_mean(pattern.glob, names));
}

std::string ordered_number(const JsonNode& json) {
  Number number;
  const bool is_number = json.kind() == Kind::Integer || json.kind() == Kind::Decimal;
  if (!is_number || parse_number(json.text(), NumberRules::Current, number) != NumberError::None)
    refuse("key: a bound is to be a number");
  char bytes[Number::kOrderedBytesMax];
  return {bytes, encode_number(number, bytes)};
}

KeyPattern read_key(const JsonMember& member) {
  KeyPattern pattern;
  pattern.attribute = member.name;
  const JsonNode& json = member.value;
  if (json.kind() == Kind::String) {
    pattern.text = glob_of("key", json);
  } else if (json.kind() == Kind::Object) {
    check_members("key", json, {"from", "to"});
    NumberRange range;
    if (const JsonNode* const from = json.find("from")) range.from = ordered_number(*from);
    if (const JsonNode* const to = json.find("to")) range.to = ordered_number(*to);
    if (range.from.empty() && range.to.empty()) refuse("key: a range has from, to, or both");
    pattern.numbers = std::move(range);
  } else {
    const std::string number = ordered_number(json);
    pattern.numbers = NumberRange{number, number};
  }
  return pattern;
}

void read_headers(const JsonNode& json, FaultMatch& match) {
  if (json.kind() != Kind::Object || json.members().empty() || json.members().size() > kListMax)
    refuse("header is to be an object such as {\"x-test\": \"7\"}");
  for (const JsonMember& member : json.members()) {
    HeaderPattern pattern{std::string(member.name), glob_of("header", member.value)};
    for (char& c : pattern.name) c = to_lower(c);
    match.headers.push_back(std::move(pattern));
  }
}

FaultMatch read_match(const JsonNode& json, std::span<const Operation> operations) {
  check_members("match", json,
                {"operation", "table", "index", "key", "region", "access_key", "user_agent",
                 "header", "consistent"});
  FaultMatch match;
  if (const JsonNode* const operation = json.find("operation")) {
    read_each("operation", *operation, [&](const JsonNode& element) {
      match.operations.push_back(read_operation(element, operations));
    });
  }
  constexpr std::pair<std::string_view, std::optional<std::string> FaultMatch::*> kGlobs[] = {
      {"table", &FaultMatch::table},
      {"index", &FaultMatch::index},
      {"region", &FaultMatch::region},
      {"access_key", &FaultMatch::access_key},
      {"user_agent", &FaultMatch::user_agent}};
  for (const auto& [name, member] : kGlobs)
    if (const JsonNode* const glob = json.find(name)) match.*member = glob_of(name, *glob);
  if (const JsonNode* const key = json.find("key")) {
    if (key->kind() != Kind::Object || key->members().empty() || key->members().size() > kListMax)
      refuse("key is to be an object such as {\"pk\": \"user#*\"}");
    for (const JsonMember& member : key->members()) match.key.push_back(read_key(member));
  }
  if (const JsonNode* const header = json.find("header")) read_headers(*header, match);
  if (const JsonNode* const consistent = json.find("consistent"))
    match.is_consistent = truth_of("consistent", *consistent);
  return match;
}

Timestamp time_of(std::string_view what, const JsonNode& json) {
  const auto time = parse_iso_extended(text_of(what, json));
  if (!time) refuse(std::string(what) + " is to be a time such as \"2027-01-01T00:00:00Z\"");
  return *time;
}

AttemptPattern read_attempt(const JsonNode& json) {
  AttemptPattern pattern;
  if (json.kind() == Kind::Object) {
    check_members("attempt", json, {"from", "to"});
    if (const JsonNode* const from = json.find("from")) pattern.from = count_of("from", *from, 1);
    if (const JsonNode* const to = json.find("to")) pattern.to = count_of("to", *to, 1);
    return pattern;
  }
  read_each("attempt", json, [&](const JsonNode& element) {
    pattern.listed.push_back(count_of("attempt", element, 1));
  });
  return pattern;
}

FaultWhen read_when(const JsonNode& json) {
  check_members("when", json,
                {"nth", "every", "first", "skip", "times", "attempt", "probability", "from",
                 "until", "for", "count_by"});
  FaultWhen when;
  if (const JsonNode* const nth = json.find("nth")) {
    read_each("nth", *nth,
              [&](const JsonNode& element) { when.nth.push_back(count_of("nth", element, 1)); });
  }
  constexpr std::pair<std::string_view, std::uint64_t FaultWhen::*> kCounts[] = {
      {"every", &FaultWhen::every},
      {"first", &FaultWhen::first},
      {"skip", &FaultWhen::skip},
      {"times", &FaultWhen::times}};
  for (const auto& [name, member] : kCounts)
    if (const JsonNode* const count = json.find(name)) when.*member = count_of(name, *count, 1);
  if (const JsonNode* const attempt = json.find("attempt")) when.attempt = read_attempt(*attempt);
  if (const JsonNode* const chance = json.find("probability"))
    when.probability = share_of("probability", *chance);
  if (const JsonNode* const from = json.find("from")) when.from = time_of("from", *from);
  if (const JsonNode* const until = json.find("until")) when.until = time_of("until", *until);
  if (const JsonNode* const lasts = json.find("for")) when.lasts = duration_of("for", *lasts);
  using CountBy = FaultWhen::CountBy;
  constexpr std::pair<std::string_view, CountBy> kSubjects[] = {
      {"all", CountBy::All}, {"client", CountBy::Client}, {"key", CountBy::Key}};
  if (const JsonNode* const count_by = json.find("count_by"))
    when.count_by = word_of("count_by", *count_by, kSubjects);
  return when;
}

// Whether there is an operation that the rule can fit.
bool has_operation(const FaultRule& rule, std::span<const Operation> operations) {
  for (const Operation& operation : operations) {
    for (const Access access : {Access::Read, Access::Write}) {
      FaultRule anywhere = {.name = {}, .match = {}, .when = {}, .effect = rule.effect, .text = {}};
      anywhere.match.operations = rule.match.operations;
      RequestFacts facts;
      facts.operation = operation.name;
      facts.access = access;
      facts.has_token = true;
      if (access == Access::Read) facts.is_consistent = false;
      if (fits(anywhere, facts)) return true;
    }
  }
  return false;
}

void check_possible(const FaultRule& rule, std::span<const Operation> operations) {
  if (has_operation(rule, operations)) return;
  if (const auto* error = std::get_if<FaultError>(&rule.effect.rest))
    refuse("the service has no " + std::string(error_info(error->code).name) +
           " for these operations: add \"any\": true to answer it all the same");
  refuse(std::string(rule.effect.name()) + " is only for " +
         std::string(operations_of(rule.effect)));
}

// Before a request is read, little is known of it, and nothing can come after it.
void check_arrival(const FaultRule& rule) {
  const FaultMatch& match = rule.match;
  const auto& rest = rule.effect.rest;
  const bool is_lone = !rule.effect.delay && !rule.effect.is_after();
  const bool is_early = std::holds_alternative<FaultError>(rest) ||
                        std::holds_alternative<FaultDrop>(rest) ||
                        std::holds_alternative<FaultHttp>(rest);
  if (!is_early || !is_lone)
    refuse("arrival is for http, an error or a drop before the request, alone");
  const bool needs_request =
      match.table || match.index || !match.key.empty() || match.is_consistent ||
      std::any_of(match.operations.begin(), match.operations.end(), [](const auto& pattern) {
        return pattern.group == RequestGroup::Reads || pattern.group == RequestGroup::Writes;
      });
  if (needs_request)
    refuse("at its arrival no table, index or key of a request is known, nor whether it reads");
}

void check_count_by(const FaultRule& rule) {
  if (rule.when.count_by == FaultWhen::CountBy::Key && rule.match.key.empty())
    refuse("count_by key counts by the attributes of match's key, such as {\"pk\": \"*\"}");
}

// Words of the admin path that a rule's name would hide.
void check_not_taken(std::string_view name) {
  for (const std::string_view taken : {"presets", "clear"})
    if (name == taken) refuse("a rule cannot be named " + in_quotes(name));
}

// `json` without its member "name".
std::string text_of_rule(const JsonNode& json) {
  std::string text = "{";
  for (const JsonMember& member : json.members()) {
    if (member.name == "name") continue;
    if (text.size() > 1) text += ',';
    text.append("\"").append(member.name).append("\":");
    append_node_json(text, member.value);
  }
  return text + "}";
}

template <class Read>
ReadRule caught(const Read& read) {
  try {
    return read();
  } catch (const WrongRule& wrong) {
    return tl::unexpected(wrong.text);
  }
}

FaultRule read(const JsonNode& json, std::span<const Operation> operations) {
  check_members("a rule", json, {"name", "match", "when", "effect", "hidden", "stage"},
                {"optional"});
  FaultRule rule;
  if (const JsonNode* const name = json.find("name")) {
    rule.name = text_of("name", *name);
    if (!is_mark_name(rule.name))
      refuse("a name is to be 1 to " + std::to_string(kMarkNameBytesMax) +
             " of A-Z, a-z, 0-9, hyphen, underscore and dot");
    check_not_taken(rule.name);
  }
  if (const JsonNode* const match = json.find("match")) rule.match = read_match(*match, operations);
  if (const JsonNode* const when = json.find("when")) rule.when = read_when(*when);
  const JsonNode* const effect = json.find("effect");
  if (effect == nullptr) refuse("a rule is to have an effect");
  rule.effect = read_effect(*effect);
  if (const JsonNode* const hidden = json.find("hidden"))
    rule.is_hidden = truth_of("hidden", *hidden);
  constexpr std::pair<std::string_view, bool> kStages[] = {{"arrival", true}, {"valid", false}};
  if (const JsonNode* const stage = json.find("stage"))
    rule.is_for_arrival = word_of("stage", *stage, kStages);
  if (rule.is_for_arrival) check_arrival(rule);
  check_count_by(rule);
  check_possible(rule, operations);
  rule.text = text_of_rule(json);
  if (rule.text.size() > kRuleBytesMax)
    refuse("a rule is to have at most " + std::to_string(kRuleBytesMax / 1024) + " KiB");
  return rule;
}

}  // namespace

ReadRule read_rule(const JsonNode& json, std::span<const Operation> operations) {
  return caught([&] { return read(json, operations); });
}

tl::expected<std::vector<FaultRule>, std::string> read_rules(
    const JsonNode& json, std::span<const Operation> operations) {
  const bool is_object = json.kind() == Kind::Object;
  const JsonNode* const list = is_object ? json.find("rules") : nullptr;
  if (list != nullptr && (list->kind() != Kind::Array || json.members().size() != 1))
    return tl::unexpected(std::string("rules is to be a list, and the only member"));
  std::vector<FaultRule> rules;
  const std::span<const JsonNode> nodes = list != nullptr              ? list->elements()
                                          : json.kind() == Kind::Array ? json.elements()
                                                                       : std::span(&json, 1);
  if (nodes.empty() || nodes.size() > kFaultRulesMax)
    return tl::unexpected("there are to be 1 to " + std::to_string(kFaultRulesMax) + " rules");
  std::size_t bytes = 0;
  for (const JsonNode& node : nodes) {
    ReadRule rule = read_rule(node, operations);
    if (!rule) {
      const bool is_one = nodes.size() == 1;
      return tl::unexpected(
          is_one ? rule.error() : "rule " + std::to_string(rules.size() + 1) + ": " + rule.error());
    }
    bytes += rule->text.size();
    if (bytes > kRulesBytesMax)
      return tl::unexpected(std::string("the rules are to have at most 1 MiB together"));
    rules.push_back(std::move(*rule));
  }
  return rules;
}

ReadRule read_effect_alone(const JsonNode& json) {
  return caught([&] {
    FaultRule rule;
    rule.name = "header";
    rule.effect = read_effect(json);
    if (std::holds_alternative<FaultStale>(rule.effect.rest))
      refuse("stale needs a rule: states of the past are retained from then on");
    return rule;
  });
}

}  // namespace stator::faults
