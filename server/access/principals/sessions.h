// Sessions: keys for some time, made on request. They live in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/seams/clock.h"
#include "server/access/principals/directory.h"

namespace stator::access {

// What a session is made of.
struct SessionRequest {
  std::string base_arn;  // of a role or a user
  SessionDraft draft;    // of a user's session only `policies` and `issued` count
  Timestamp expires;
  bool is_federated = false;  // for a guest of the user or root
};

// A session and the key that it signs with.
struct NewSession {
  std::string access_key;
  Credential credential;
};

// A new permanent key that cannot be guessed: its id and its secret.
std::pair<std::string, std::string> random_key();

// Any thread may use it.
class Sessions {
 public:
  static constexpr std::size_t kSessionsMax = 10'000;

  // Empty if the directory has no such role or user. If there are too many sessions, the one that
  // ends first goes.
  std::optional<NewSession> begin(const Directory& directory, SessionRequest request);

  // The key of a session, expired or not.
  std::optional<Credential> find(std::string_view access_key) const;

  // Gives each session what its role or user may do by this directory. One whose role or user is
  // gone ends.
  void follow(const Directory& directory);

 private:
  struct Session {
    SessionRequest request;
    Credential credential;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Session, std::less<>> sessions_;  // guarded by mutex_; by access key
};

}  // namespace stator::access
