// The principals that statements of resource and trust policies name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stator::access {

struct Principal;

struct PrincipalPattern {
  enum class Type : std::uint8_t {
    Everybody,
    Account,    // `text` is its number
    Arn,        // of a user, role or session
    Federated,  // an identity provider
    Other,      // a service or a canonical user: no caller here
  };
  Type type = Type::Other;
  std::string text;
};

// The pattern of a principal of this type ("AWS", "Service", …).
PrincipalPattern principal_pattern(std::string_view type, std::string_view text);

// How closely a pattern names a principal; a set, because a list may do so in several ways.
struct PrincipalMatch {
  bool is_everybody = false;
  bool is_account = false;
  bool is_source = false;  // the session's role, or the user that it came from
  bool is_exact = false;   // the user's or the session's own ARN

  bool is_any() const { return is_everybody || is_account || is_source || is_exact; }
};

PrincipalMatch match_principal(std::span<const PrincipalPattern> patterns,
                               const Principal& principal);

// Whether NotPrincipal with these patterns leaves the principal out. A statement that denies leaves
// out only whom it names at each level: the account, the role, and the session or user itself, and
// no principal with a permissions boundary. One that allows leaves out whom it names at any.
bool is_left_out(std::span<const PrincipalPattern> patterns, const Principal& principal,
                 bool is_deny, bool has_boundary);

}  // namespace stator::access
