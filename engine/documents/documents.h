// Documents: small records by name that other layers store with the data, such as the event source
// mappings of server/triggers. Every change is a commit of the engine, so marks and rollbacks take
// documents back; nothing in the engine reads them.
//
// A key has 1 to 400 bytes; its first part, up to a slash, belongs to one user of this interface. A
// value may be of any size that fits into memory a few times.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/seams/clock.h"
#include "protocol/errors/result.h"

namespace stator {

class Engine;
class Snapshot;
namespace storage {
class Transaction;
}

inline constexpr std::size_t kDocumentKeyBytesMax = 400;

// The documents of a snapshot, or inside a commit.
class Documents {
 public:
  // The argument must outlive this.
  explicit Documents(const Snapshot& snapshot);
  explicit Documents(const storage::Transaction& transaction) : transaction_(transaction) {}

  Result<std::optional<std::string>> find(std::string_view key) const;
  // Visits those whose keys begin with the prefix, in the order of the keys' bytes, until `visit`
  // returns false. The views are valid during the call.
  using Visit = std::function<bool(std::string_view key, std::string_view value)>;
  Result<void> visit(std::string_view prefix, const Visit& visit) const;

 private:
  const storage::Transaction& transaction_;
};

// What one commit is to change. Reads do not see it yet.
struct DocumentChange {
  std::string key;
  std::optional<std::string> value;  // empty: the document is removed
};

// Decides on changes, given the documents and the engine's time inside the commit. May be called
// twice. An error stores nothing and is returned to the caller.
using DecideDocuments =
    std::function<Result<std::vector<DocumentChange>>(const Documents& stored, Timestamp now)>;

// Waits for the commit, so it needs a thread that may wait. The error is that of `decide`, or
// InternalServerError if nothing was committed: the store is full or writing failed, and that was
// logged. `only_frees_space`: it runs in a full store as well, so it must need little.
Result<void> change_documents(Engine& engine, const DecideDocuments& decide,
                              bool only_frees_space = false);

// Removes all documents whose keys begin with the prefix, in commits of bounded size. Returns
// whether all are gone.
bool remove_documents(Engine& engine, std::string_view prefix);

}  // namespace stator
