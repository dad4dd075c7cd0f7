#include "server/access/access_control.h"

#include <mutex>

#include "server/access/principals/directory_reader.h"
#include "server/http/header_text.h"

namespace stator::access {

namespace {

// Accounts of all files that a process has read. Requests of more accounts are refused.
constexpr std::size_t kAccountsMax = 1'000;
constexpr std::size_t kStandInsMax = 1'000;

}  // namespace

AccessControl::AccessControl(Parts parts, Directory directory)
    : parts_(std::move(parts)),
      own_root_(root_of(parts_.settings.account_id)),
      directory_(std::make_shared<const Directory>(std::move(directory))) {
  auto own = random_key();
  own_key_ = std::move(own.first);
  own_credential_ =
      std::make_shared<const Credential>(Credential{std::move(own.second), {}, {}, own_root_});
  add_accounts(*directory_);
}

tl::expected<std::vector<std::string>, std::string> AccessControl::reload() {
  if (parts_.file.empty()) return tl::unexpected(std::string("there is no --access-file to read"));
  auto read = read_directory_file(parts_.file, parts_.is_insecure);
  if (!read) return tl::unexpected(std::move(read).error());
  auto fresh = std::make_shared<const Directory>(*std::move(read));
  const std::unique_lock lock(mutex_);
  directory_ = fresh;
  add_accounts(*fresh);
  sessions_.follow(*fresh);
  return fresh->warnings;
}

tl::expected<std::shared_ptr<const Identity>, SignatureRefusal> AccessControl::identify(
    const HttpRequest& request, const SignatureClaim& claim, std::string_view body_sha256) {
  const auto refused = [](SignatureFault fault) {
    return tl::unexpected(SignatureRefusal{fault, {}});
  };
  const auto credential = find(claim.access_key);
  if (credential == nullptr) {
    if (parts_.mode == AuthMode::Audit) return own_root_;
    return refused(SignatureFault::UnknownKey);
  }
  if (!is_same_secret(claim.token, credential->token)) return refused(SignatureFault::WrongToken);
  if (credential->expires && *credential->expires <= parts_.clock.now())
    return refused(SignatureFault::Expired);
  SignedTexts texts = signed_texts(request, claim, body_sha256);
  const std::string expected =
      signature_of(keys_.key_for(claim, credential->secret), texts.string_to_sign);
  if (is_same_secret(claim.signature, expected)) return credential->identity;
  return tl::unexpected(SignatureRefusal{SignatureFault::Mismatch, std::move(texts)});
}

const Settings* AccessControl::settings_of(std::string_view account) const {
  const std::shared_lock lock(mutex_);
  const auto found = settings_.find(account);
  return found == settings_.end() ? nullptr : found->second.get();
}

std::shared_ptr<const Directory> AccessControl::directory() const {
  const std::shared_lock lock(mutex_);
  return directory_;
}

std::optional<NewSession> AccessControl::begin_session(SessionRequest request) {
  const std::shared_lock lock(mutex_);  // no reload in between
  return sessions_.begin(*directory_, std::move(request));
}

std::shared_ptr<const Identity> AccessControl::stand_in(std::string_view access_key) {
  {
    const std::shared_lock lock(mutex_);
    const auto known = stand_ins_.find(access_key);
    if (known != stand_ins_.end()) return known->second;
    if (stand_ins_.size() >= kStandInsMax) return own_root_;
  }
  Identity made;
  made.name = access_key;
  made.principal.account = account();
  made.principal.arn.append("arn:aws:iam::").append(account()).append(":user/").append(made.name);
  made.principal_arn = made.principal.arn;
  const std::unique_lock lock(mutex_);
  const auto place = stand_ins_.try_emplace(made.name);
  if (place.second) place.first->second = std::make_shared<const Identity>(std::move(made));
  return place.first->second;
}

std::shared_ptr<const Credential> AccessControl::find(std::string_view access_key) const {
  if (access_key == own_key_) return own_credential_;
  const std::shared_lock lock(mutex_);
  const auto found = directory_->keys.find(access_key);
  // It lives as long as its directory.
  if (found != directory_->keys.end()) return {directory_, &found->second};
  auto session = sessions_.find(access_key);
  return session ? std::make_shared<const Credential>(*std::move(session)) : nullptr;
}

// REQUIRES: no other thread uses this, or the lock is taken.
void AccessControl::add_accounts(const Directory& directory) {
  const auto add = [this](const Identity& identity) {
    const std::string& account = identity.principal.account;
    if (account == parts_.settings.account_id || settings_.count(account) != 0) return;
    if (settings_.size() >= kAccountsMax) return;
    auto settings = std::make_unique<Settings>(parts_.settings);
    settings->account_id = account;
    settings->scope_prefix = account + "/";
    settings_.emplace(account, std::move(settings));
  };
  for (const auto& user : directory.users) add(*user);
  for (const auto& [arn, role] : directory.roles) add(*role.identity);
}

}  // namespace stator::access
