#include "engine/state/client_secret.h"

#include <string>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/stores/stream_store.h"

namespace stator {

Result<void> keep_client_secret(storage::WriteTransaction& transaction, Random& random) {
  STATOR_TRY(const auto stored, storage::stream_secret(transaction));
  if (stored) return {};
  std::string secret;
  storage::ByteWriter out(secret);
  while (secret.size() < storage::kStreamSecretBytes) out.be(random.next());
  return storage::put_stream_secret(transaction, secret);
}

}  // namespace stator
