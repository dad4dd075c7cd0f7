#include "server/access/principals/directory.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "server/access/principals/identity_tags.h"
#include "server/access/signing/signing.h"
#include "server/http/header_text.h"

namespace stator::access {

namespace {

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

UniqueNumber::UniqueNumber() : value_(next_number()) {}

UniqueNumber& UniqueNumber::operator=(const UniqueNumber& other) {
  if (this != &other) value_ = next_number();
  return *this;
}

const Identity* Directory::find(std::string_view arn) const {
  for (const auto& user : users) {
    if (user->principal.arn == arn) return user.get();
  }
  if (const auto role = roles.find(arn); role != roles.end()) return role->second.identity.get();
  for (const auto& [key, credential] : keys) {
    if (credential.identity->principal.arn == arn) return credential.identity.get();
  }
  return nullptr;
}

std::shared_ptr<const Identity> root_of(std::string_view account) {
  Identity root;
  root.principal.account = account;
  root.principal.kind = PrincipalKind::Root;
  root.principal.arn.append("arn:aws:iam::").append(account).append(":root");
  root.principal_arn = root.principal.arn;
  root.id = account;
  return std::make_shared<const Identity>(std::move(root));
}

std::string id_of(std::string_view prefix, std::string_view arn) {
  constexpr std::size_t kIdChars = 17;
  std::string id(prefix);
  for (const char digit : sha256_hex(arn).substr(0, kIdChars)) {
    // The service's alphabet has no small letters.
    id += digit >= 'a' ? static_cast<char>(digit - 'a' + 'A') : digit;
  }
  return id;
}

std::string session_arn(std::string_view role_arn, std::string_view session_name) {
  const auto parts = parse_principal_arn(role_arn);
  std::string arn("arn:aws:sts::");
  if (parts) arn.append(parts->account).append(":assumed-role/").append(parts->name);
  return arn.append("/").append(session_name);
}

std::optional<PrincipalArn> parse_principal_arn(std::string_view arn) {
  constexpr std::size_t kAccountDigits = 12;
  constexpr std::string_view kPrefix = "arn:aws:iam::";
  if (!arn.starts_with(kPrefix)) return std::nullopt;
  std::string_view rest = arn.substr(kPrefix.size());
  const std::string_view account = next_part(rest, ':');
  if (account.size() != kAccountDigits ||
      account.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  PrincipalArn parts{std::string(account), std::string(rest), {}};
  if (rest == "root") return parts;
  const std::string_view type = next_part(rest, '/');
  const std::string_view name = rest.substr(rest.rfind('/') + 1);
  if ((type != "user" && type != "role") || name.empty()) return std::nullopt;
  parts.type = type;
  parts.name = name;
  return parts;
}

namespace {

// Lays the tags of a session over those of its identity.
void lay_over(Tags& tags, Tags added) {
  for (auto& tag : added) {
    const auto same = find_tag(tags, tag.first);
    if (same != tags.end()) {
      tags[static_cast<std::size_t>(same - tags.begin())] = std::move(tag);
    } else {
      tags.push_back(std::move(tag));
    }
  }
}

Policy everything() {
  auto policy = compile_policy(
      R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}})",
      PolicyKind::Identity);
  return *std::move(policy);
}

}  // namespace

std::shared_ptr<const Identity> role_session(const Role& role, SessionDraft draft) {
  Identity session = *role.identity;
  session.principal.role_arn = role.identity->principal.arn;
  session.principal.arn = session_arn(session.principal.role_arn, draft.name);
  session.principal.kind = PrincipalKind::AssumedRole;
  session.id.append(":").append(draft.name);
  lay_over(session.tags, std::move(draft.tags));
  session.session = std::move(draft.policies);
  session.session_name = std::move(draft.name);
  session.source_identity = std::move(draft.source_identity);
  session.transitive_tags = std::move(draft.transitive_tags);
  session.context = std::move(draft.context);
  session.issued = draft.issued;
  return std::make_shared<const Identity>(std::move(session));
}

std::string federated_arn(std::string_view account, std::string_view name) {
  std::string arn("arn:aws:sts::");
  return arn.append(account).append(":federated-user/").append(name);
}

std::shared_ptr<const Identity> federated_session(const Identity& issuer, SessionDraft draft) {
  Identity session = issuer;
  session.principal.issuer_arn = issuer.principal.arn;
  session.principal.arn = federated_arn(issuer.principal.account, draft.name);
  session.principal.kind = PrincipalKind::FederatedUser;
  session.principal_arn = session.principal.arn;
  session.id = issuer.principal.account;
  session.id.append(":").append(draft.name);
  session.name.clear();
  lay_over(session.tags, std::move(draft.tags));
  // Root needs no policy itself.
  if (issuer.principal.kind == PrincipalKind::Root) session.identity = {everything()};
  session.session = std::move(draft.policies);
  session.session_name = std::move(draft.name);
  session.issued = draft.issued;
  return std::make_shared<const Identity>(std::move(session));
}

}  // namespace stator::access
