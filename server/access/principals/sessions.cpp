#include "server/access/principals/sessions.h"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace stator::access {

namespace {

constexpr std::size_t kKeyDigits = 16;
constexpr std::size_t kSecretDigits = 40;
constexpr std::size_t kTokenDigits = 240;

// Digits that cannot be guessed, 5 bits each.
std::string random_digits(std::size_t count) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string text(count, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(text.data()), static_cast<int>(count)) != 1)
    throw std::runtime_error("no random bytes for the keys of a session");
  for (char& digit : text) digit = kDigits[static_cast<unsigned char>(digit) & 31];
  return text;
}

// nullptr if there is no such role or user.
std::shared_ptr<const Identity> identity_for(const Directory& directory,
                                             const SessionRequest& request) {
  if (const auto role = directory.roles.find(request.base_arn); role != directory.roles.end())
    return role_session(role->second, request.draft);
  for (const auto& user : directory.users) {
    if (user->principal.arn != request.base_arn) continue;
    if (request.is_federated) return federated_session(*user, request.draft);
    Identity session = *user;
    session.issued = request.draft.issued;
    session.session = request.draft.policies;
    return std::make_shared<const Identity>(std::move(session));
  }
  return nullptr;
}

}  // namespace

std::pair<std::string, std::string> random_key() {
  return {"AKIA" + random_digits(kKeyDigits), random_digits(kSecretDigits)};
}

std::optional<NewSession> Sessions::begin(const Directory& directory, SessionRequest request) {
  auto identity = identity_for(directory, request);
  if (identity == nullptr) return std::nullopt;
  NewSession made;
  made.access_key = "ASIA" + random_digits(kKeyDigits);
  made.credential = {random_digits(kSecretDigits), random_digits(kTokenDigits), request.expires,
                     std::move(identity)};
  const std::scoped_lock lock(mutex_);
  if (sessions_.size() >= kSessionsMax) {
    sessions_.erase(std::min_element(
        sessions_.begin(), sessions_.end(), [](const auto& one, const auto& other) {
          return one.second.request.expires < other.second.request.expires;
        }));
  }
  sessions_.insert_or_assign(made.access_key, Session{std::move(request), made.credential});
  return made;
}

std::optional<Credential> Sessions::find(std::string_view access_key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = sessions_.find(access_key);
  if (found == sessions_.end()) return std::nullopt;
  return found->second.credential;
}

void Sessions::follow(const Directory& directory) {
  const std::scoped_lock lock(mutex_);
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    at->second.credential.identity = identity_for(directory, at->second.request);
    at = at->second.credential.identity == nullptr ? sessions_.erase(at) : std::next(at);
  }
}

}  // namespace stator::access
