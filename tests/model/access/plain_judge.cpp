// The second evaluator. It shares nothing with the product but the types of requests: patterns are
// lists of marked characters, matched by trying every split; operators are known by their names.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <set>

#include "tests/model/access/plain_policy.h"

namespace stator::access::model {
namespace {

struct Mark {
  char c;
  bool is_wild;
};
using Marks = std::vector<Mark>;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

const ContextKey* key_of(const RequestContext& context, const std::string& name) {
  for (const ContextKey& key : context.keys()) {
    if (lower(key.name) == lower(name)) return &key;
  }
  return nullptr;
}

// Which ends of `text` can be reached by each prefix of the pattern, one row at a time.
bool fits(const Marks& pattern, const std::string& text) {
  std::set<std::size_t> ends{0};
  for (const Mark& mark : pattern) {
    std::set<std::size_t> next;
    for (const std::size_t end : ends) {
      if (mark.is_wild && mark.c == '*') {
        for (std::size_t to = end; to <= text.size(); ++to) next.insert(to);
      } else if (end < text.size() && (mark.is_wild || mark.c == text[end])) {
        next.insert(end + 1);
      }
    }
    ends = next;
  }
  return ends.contains(text.size());
}

void append_literal(Marks& marks, const std::string& text) {
  for (const char c : text) marks.push_back({c, false});
}

// A text with its variables replaced; empty if one has no value.
std::optional<Marks> marks_of(std::string text, bool has_wildcards, bool has_variables,
                              const RequestContext& context) {
  Marks marks;
  while (!text.empty()) {
    const std::size_t close = text.find('}');
    if (!has_variables || text.substr(0, 2) != "${" || close == std::string::npos) {
      marks.push_back({text[0], has_wildcards && (text[0] == '*' || text[0] == '?')});
      text = text.substr(1);
      continue;
    }
    std::string inner = text.substr(2, close - 2);
    text = text.substr(close + 1);
    if (inner == "*" || inner == "?" || inner == "$") {
      append_literal(marks, inner);
      continue;
    }
    std::optional<std::string> fallback;
    if (const std::size_t comma = inner.find(", '"); comma != std::string::npos) {
      fallback = inner.substr(comma + 3, inner.size() - comma - 4);
      inner = inner.substr(0, comma);
    }
    const ContextKey* key = key_of(context, inner);
    if (key != nullptr) {
      if (key->is_multi_valued || key->is_unknowable) return std::nullopt;
      append_literal(marks, key->values.at(0));
    } else if (fallback) {
      append_literal(marks, *fallback);
    } else {
      return std::nullopt;
    }
  }
  return marks;
}

// The parts between the first five colons and after them.
std::vector<Marks> parts_of(const Marks& marks) {
  std::vector<Marks> parts(1);
  for (const Mark& mark : marks) {
    if (mark.c == ':' && parts.size() < 6) {
      parts.emplace_back();
    } else {
      parts.back().push_back(mark);
    }
  }
  return parts;
}

bool fits_arn(const Marks& pattern, const std::string& arn) {
  Marks literal;
  append_literal(literal, arn);
  const auto patterns = parts_of(pattern);
  const auto parts = parts_of(literal);
  if (patterns.size() != 6 || parts.size() != 6) return false;
  for (std::size_t i = 0; i < 6; ++i) {
    std::string part;
    for (const Mark& mark : parts[i]) part.push_back(mark.c);
    if (!fits(patterns[i], part)) return false;
  }
  return true;
}

bool has(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

// The generator's numbers, moments and addresses are few, so what they are worth is a list.
std::optional<double> worth(const std::string& text) {
  static const std::map<std::string, double> kKnown{{"1", 1},
                                                    {"1.0", 1},
                                                    {"2", 2},
                                                    {"-3", -3},
                                                    {"1e1", 10},
                                                    {"10", 10},
                                                    {"1970-01-01", 0},
                                                    {"0", 0},
                                                    {"1970-01-01T00:00:01Z", 1},
                                                    {"1970-01-01T01:00:02+01:00", 2}};
  const auto found = kKnown.find(text);
  return found == kKnown.end() ? std::nullopt : std::optional(found->second);
}

bool is_moment(const std::string& text) { return text.find_first_of(".e") == std::string::npos; }
bool is_number(const std::string& text) { return !has(text, "1970"); }

// An address of IPv4 as a number; a block as its first and last address.
std::optional<std::pair<double, double>> range_of(std::string text) {
  int bits = 32;
  if (const std::size_t slash = text.find('/'); slash != std::string::npos) {
    const std::string length = text.substr(slash + 1);
    if (length.empty() || length.find_first_not_of("0123456789") != std::string::npos)
      return std::nullopt;  // another text with a slash, such as an ARN
    bits = std::stoi(length);
    text = text.substr(0, slash);
  }
  if (std::count(text.begin(), text.end(), '.') != 3) return std::nullopt;
  std::int64_t address = 0;
  std::int64_t byte = 0;
  for (const char c : text + ".") {
    if (c != '.') {
      if (c < '0' || c > '9') return std::nullopt;
      byte = byte * 10 + (c - '0');
      continue;
    }
    address = address * 256 + byte;
    byte = 0;
  }
  const std::int64_t size = std::int64_t{1} << (32 - bits);
  const std::int64_t first = address / size * size;
  return std::pair(static_cast<double>(first), static_cast<double>(first + size - 1));
}

class Judge {
 public:
  Judge(const Principal& principal, const AccessRequest& request, bool has_boundary)
      : who_(principal), what_(request), has_boundary_(has_boundary) {}

  bool applies(const PlainStatement& statement, bool has_variables) {
    has_variables_ = has_variables;
    return names_action(statement) != statement.is_not_action &&
           names_resource(statement) != statement.is_not_resource && fits_principal(statement) &&
           std::all_of(statement.conditions.begin(), statement.conditions.end(),
                       [&](const PlainCondition& one) { return holds(one, statement.is_deny); });
  }

  bool names(const PlainStatement& statement, const std::string& principal) const {
    return std::find(statement.principals.begin(), statement.principals.end(), principal) !=
           statement.principals.end();
  }

  bool names_account(const PlainStatement& statement) const {
    return names(statement, who_.account) ||
           names(statement, "arn:aws:iam::" + who_.account + ":root");
  }

  bool names_source(const PlainStatement& statement) const {
    const std::string& source = who_.role_arn.empty() ? who_.issuer_arn : who_.role_arn;
    return !source.empty() && names(statement, source);
  }

 private:
  bool names_action(const PlainStatement& statement) const {
    return std::any_of(statement.actions.begin(), statement.actions.end(),
                       [&](const std::string& action) {
                         const auto marks = marks_of(lower(action), true, false, what_.context);
                         return fits(*marks, lower(std::string(what_.action)));
                       });
  }

  bool names_resource(const PlainStatement& statement) const {
    return std::any_of(statement.resources.begin(), statement.resources.end(),
                       [&](const std::string& resource) {
                         if (resource == "*") return true;
                         const auto marks = marks_of(resource, true, has_variables_, what_.context);
                         return marks && fits_arn(*marks, std::string(what_.resource));
                       });
  }

  bool fits_principal(const PlainStatement& statement) const {
    if (statement.principals.empty()) return true;
    const bool is_named = names(statement, "*") || names_account(statement) ||
                          names_source(statement) || names(statement, who_.arn);
    if (!statement.is_not_principal) return is_named;
    if (!statement.is_deny) return !is_named;
    if (has_boundary_) return true;
    if (names(statement, "*")) return false;
    bool is_spared = names_account(statement);
    if (who_.kind != PrincipalKind::Root) is_spared = is_spared && names(statement, who_.arn);
    if (who_.kind == PrincipalKind::AssumedRole) is_spared = is_spared && names_source(statement);
    return !is_spared;
  }

  bool holds(const PlainCondition& condition, bool is_deny) const {
    const ContextKey* key = key_of(what_.context, condition.key);
    const std::string& op = condition.op;
    if (op == "Null") {
      return std::any_of(
          condition.values.begin(), condition.values.end(),
          [&](const std::string& value) { return (value == "true") == (key == nullptr); });
    }
    const bool is_all = has(op, "ForAllValues:");
    const bool is_any = has(op, "ForAnyValue:");
    const bool is_negated = has(op, "Not");
    if (key == nullptr) {
      if (is_any) return false;
      return has(op, "IfExists") || is_all || is_negated;
    }
    if (key->is_multi_valued && !is_all && !is_any) return false;
    if (key->is_unknowable) return is_negated && is_deny;
    int held = 0;
    for (const std::string& value : key->values) {
      const auto verdict = compare(condition, value);
      held += verdict ? static_cast<int>(*verdict != is_negated)
                      : static_cast<int>(is_negated && is_deny);
    }
    return is_any ? held > 0 : held == static_cast<int>(key->values.size());
  }

  // Whether the value equals one of the condition's; empty if it cannot be compared.
  std::optional<bool> compare(const PlainCondition& condition, const std::string& value) const {
    bool is_equal = false;
    for (const std::string& text : condition.values) {
      const auto one = compare_one(condition.op, text, value);
      if (!one) return std::nullopt;
      is_equal |= *one;
    }
    return is_equal;
  }

  static bool orders(const std::string& op, double value, double limit) {
    if (has(op, "LessThanEquals")) return value <= limit;
    if (has(op, "LessThan")) return value < limit;
    if (has(op, "GreaterThanEquals")) return value >= limit;
    if (has(op, "GreaterThan")) return value > limit;
    return value == limit;
  }

  std::optional<bool> compare_one(const std::string& op, const std::string& text,
                                  const std::string& value) const {
    if (has(op, "Numeric") || has(op, "Date")) {
      const bool is_right_form = has(op, "Date") ? is_moment(value) : is_number(value);
      const auto amount = worth(value);
      if (!amount || !is_right_form) return std::nullopt;
      return orders(op, *amount, worth(text).value());
    }
    if (has(op, "IpAddress")) {
      const auto address = range_of(value);
      const auto block = range_of(text);
      if (!address) return std::nullopt;
      return block->first <= address->first && address->second <= block->second;
    }
    if (has(op, "Binary")) return text == value;
    if (has(op, "Bool") && lower(value) != "true" && lower(value) != "false") return std::nullopt;
    const bool is_arn = has(op, "Arn");
    if (is_arn && std::count(value.begin(), value.end(), ':') < 5) return std::nullopt;
    const auto marks = marks_of(text, is_arn || has(op, "Like"), has_variables_, what_.context);
    if (!marks) return false;
    if (is_arn) return fits_arn(*marks, value);
    if (has(op, "IgnoreCase") || has(op, "Bool")) {
      Marks low = *marks;
      for (Mark& mark : low) mark.c = lower(std::string(1, mark.c))[0];
      return fits(low, lower(value));
    }
    return fits(*marks, value);
  }

  const Principal& who_;
  const AccessRequest& what_;
  bool has_boundary_;
  bool has_variables_ = true;
};

}  // namespace

Reason judge(const Principal& principal, const PlainPolicies& policies,
             const AccessRequest& request) {
  Judge judge(principal, request, policies.boundary.has_value());
  const auto says = [&](const std::optional<PlainPolicy>& policy, bool is_deny, auto also) {
    if (!policy) return false;
    return std::any_of(
        policy->statements.begin(), policy->statements.end(), [&](const PlainStatement& one) {
          return one.is_deny == is_deny && also(one) && judge.applies(one, policy->has_variables);
        });
  };
  const auto any = [](const PlainStatement& /*one*/) { return true; };
  if (says(policies.resource, true, any)) return Reason::ResourceDeny;
  if (says(policies.identity, true, any)) return Reason::IdentityDeny;
  if (says(policies.boundary, true, any)) return Reason::BoundaryDeny;
  if (says(policies.session, true, any)) return Reason::SessionDeny;
  const bool is_home = principal.account == request.owner_account;
  const bool is_root = principal.kind == PrincipalKind::Root;
  static const std::set<std::string_view> kNeverInResources{"dynamodb:CreateTable"};
  static const std::set<std::string_view> kNeverAbroad{"dynamodb:PartiQLSelect"};
  const bool counts = !kNeverInResources.contains(request.action) &&
                      (is_home || !kNeverAbroad.contains(request.action));
  const auto grants = [&](auto also) { return counts && says(policies.resource, false, also); };
  const bool names_itself = grants([&](const PlainStatement& one) {
    return !one.is_not_principal && judge.names(one, principal.arn);
  });
  if (is_home && (is_root || names_itself)) return Reason::Allowed;
  const bool is_freed = grants([&](const PlainStatement& one) {
    return one.is_not_principal || judge.names(one, "*") || judge.names_source(one);
  });
  if (!says(policies.identity, false, any) && !is_root && !(is_home && is_freed))
    return Reason::NoIdentityAllow;
  const bool needs_session = policies.session || principal.kind == PrincipalKind::FederatedUser;
  if (needs_session && !says(policies.session, false, any)) return Reason::NoSessionAllow;
  if (policies.boundary && !says(policies.boundary, false, any)) return Reason::NoBoundaryAllow;
  return is_home || grants(any) ? Reason::Allowed : Reason::NoResourceAllow;
}

}  // namespace stator::access::model
