// AccessControl: who may send requests to this process, and what was decided about them. With
// --auth off it exists only for the permissions that --access-report is to list.
#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "engine/call/settings.h"
#include "engine/seams/clock.h"
#include "protocol/access/memory/decision_cache.h"
#include "server/access/advisor/advisor.h"
#include "server/access/principals/directory.h"
#include "server/access/principals/sessions.h"
#include "server/access/recent_denials.h"
#include "server/access/signing/verification.h"
#include "server/http/http_request.h"
#include "server/options/options.h"

namespace stator::access {

enum class SignatureFault : std::uint8_t { UnknownKey, WrongToken, Expired, Mismatch };

// Why a signature is refused.
struct SignatureRefusal {
  SignatureFault fault = SignatureFault::UnknownKey;
  SignedTexts texts = {};  // of a Mismatch
};

// Any thread may use it, except for its construction.
class AccessControl {
 public:
  struct Parts {
    AuthMode mode;
    std::string file;          // empty: none
    bool is_insecure;          // whether others may read the file
    const Settings& settings;  // of the engine
    const Clock& clock;        // of the engine; sessions expire by it
  };

  // The references must outlive this.
  AccessControl(Parts parts, Directory directory);
  AccessControl(const AccessControl&) = delete;
  AccessControl& operator=(const AccessControl&) = delete;

  AuthMode mode() const { return parts_.mode; }
  bool enforces() const { return parts_.mode == AuthMode::Iam; }
  bool evaluates() const { return enforces() || parts_.mode == AuthMode::Audit; }
  const Clock& clock() const { return parts_.clock; }
  const std::string& account() const { return parts_.settings.account_id; }

  // Reads the file again. The error is one line; then the old content stays in force. Returns
  // warnings.
  tl::expected<std::vector<std::string>, std::string> reload();

  // Who signed the request; `body_sha256` as for signed_texts().
  tl::expected<std::shared_ptr<const Identity>, SignatureRefusal> identify(
      const HttpRequest& request, const SignatureClaim& claim, std::string_view body_sha256);

  // The server's own account root, for those who prove themselves in another way.
  const std::shared_ptr<const Identity>& own_root() const { return own_root_; }
  // A key that signs as that root. Only this process has it.
  const std::string& own_key() const { return own_key_; }
  const std::string& own_secret() const { return own_credential_->secret; }

  // The engine's settings for the tables of this account; nullptr for the server's own account and
  // for one without a principal. Valid as long as this.
  const Settings* settings_of(std::string_view account) const;

  // The content of the file as of now.
  std::shared_ptr<const Directory> directory() const;

  // As Sessions::begin(), for the present directory.
  std::optional<NewSession> begin_session(SessionRequest request);

  // Who stands for an access key if no signature is verified: a user of its name in the server's
  // account; the root, if too many keys were seen.
  std::shared_ptr<const Identity> stand_in(std::string_view access_key);

  Advisor& advisor() { return advisor_; }
  const Advisor& advisor() const { return advisor_; }
  DecisionCache& decisions() { return decisions_; }
  RecentDenials& denials() { return denials_; }

 private:
  // nullptr if the key is unknown. Copies no secret of the directory.
  std::shared_ptr<const Credential> find(std::string_view access_key) const;
  void add_accounts(const Directory& directory);

  const Parts parts_;
  const std::shared_ptr<const Identity> own_root_;
  std::string own_key_;
  std::shared_ptr<const Credential> own_credential_;
  mutable std::shared_mutex mutex_;
  std::shared_ptr<const Directory> directory_;  // guarded by mutex_
  // By account. None goes, because calls refer to them; a file adds as many as it has principals.
  std::map<std::string, std::unique_ptr<const Settings>, std::less<>> settings_;   // guarded
  std::map<std::string, std::shared_ptr<const Identity>, std::less<>> stand_ins_;  // guarded
  Sessions sessions_;
  SigningKeys keys_;
  Advisor advisor_;
  DecisionCache decisions_;
  RecentDenials denials_;
};

}  // namespace stator::access
