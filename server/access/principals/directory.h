// Directory: who may sign requests, and what they may do: the content of an access file. Immutable
// once it is read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/seams/clock.h"
#include "protocol/access/evaluation.h"
#include "protocol/access/policy.h"

namespace stator::access {

using Tags = std::vector<std::pair<std::string, std::string>>;

// A number that no other one in the process has. A copy has one of its own.
class UniqueNumber {
 public:
  UniqueNumber();
  UniqueNumber(const UniqueNumber& /*other*/) : UniqueNumber() {}
  UniqueNumber& operator=(const UniqueNumber& other);
  ~UniqueNumber() = default;

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_;
};

// Who acts: what policies and condition keys know of the sender of a request.
struct Identity {
  UniqueNumber number = {};  // stands for all below, which no longer changes once requests have it
  Principal principal;
  std::string principal_arn;  // aws:PrincipalArn: of a session, that of its role or user
  std::string id;             // aws:userid
  std::string name;           // aws:username; empty unless a user
  Tags tags;
  std::vector<Policy> identity;
  std::vector<Policy> boundary;
  std::vector<Policy> session;
  // Of sessions alone.
  std::string session_name = {};
  std::string source_identity = {};
  std::vector<std::string> transitive_tags = {};  // names of the tags that further roles get too
  std::optional<Timestamp> issued = {};
  std::vector<std::pair<std::string, std::string>> context = {};  // condition keys of a federation

  bool is_session() const { return issued.has_value(); }
};

// A key that signs requests. Its secrets leave the process only in the answer that creates them.
struct Credential {
  std::string secret;
  std::string token;                 // empty for a permanent key
  std::optional<Timestamp> expires;  // by the engine's clock
  std::shared_ptr<const Identity> identity;
};

// A role, which sessions can be made of.
struct Role {
  std::shared_ptr<const Identity> identity;  // principal.arn is the role's
  std::string name;
  std::optional<Policy> trust;  // without it the role cannot be assumed
};

struct Directory {
  std::string account;  // that the tables belong to; empty: the file does not say
  std::map<std::string, Credential, std::less<>> keys;  // by access key
  std::map<std::string, Role, std::less<>> roles;       // by ARN
  std::map<std::string, Policy, std::less<>> managed;   // by ARN
  std::vector<std::shared_ptr<const Identity>> users;   // and roots, in the order of the file
  bool trusts_web_identity = false;                     // without verification
  std::vector<std::string> warnings;                    // about policies that are odd, but valid

  // The user, root or role with this ARN, or the session with it; nullptr if there is none.
  const Identity* find(std::string_view arn) const;
};

// The account root that may do everything but what is denied.
std::shared_ptr<const Identity> root_of(std::string_view account);

// "AIDA" and the like, followed by 17 characters that depend on the ARN alone.
std::string id_of(std::string_view prefix, std::string_view arn);

// "arn:aws:sts::111122223333:assumed-role/app/ci" for the role
// arn:aws:iam::111122223333:role/x/app.
std::string session_arn(std::string_view role_arn, std::string_view session_name);

// The parts of arn:aws:iam::ACCOUNT:TYPE/NAME, or of …:root.
struct PrincipalArn {
  std::string account;
  std::string type;  // user, role, root
  std::string name;  // without the path
};
std::optional<PrincipalArn> parse_principal_arn(std::string_view arn);

// The session of a role: its identity with what the session adds.
struct SessionDraft {
  std::string name;
  Tags tags = {};  // laid over those of the role
  std::vector<Policy> policies = {};
  std::string source_identity = {};
  std::vector<std::string> transitive_tags = {};
  std::vector<std::pair<std::string, std::string>> context = {};
  Timestamp issued = {};
};
std::shared_ptr<const Identity> role_session(const Role& role, SessionDraft draft);

// "arn:aws:sts::111122223333:federated-user/guest"
std::string federated_arn(std::string_view account, std::string_view name);
// A guest to whom a user, or the root, lends what the session's policies allow.
std::shared_ptr<const Identity> federated_session(const Identity& issuer, SessionDraft draft);

}  // namespace stator::access
