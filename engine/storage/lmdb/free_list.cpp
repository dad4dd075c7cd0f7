#include "engine/storage/lmdb/free_list.h"

#include <lmdb.h>

namespace stator::storage {
namespace {

constexpr MDB_dbi kFreePages = 0;  // LMDB's own database of free pages

}  // namespace

int visit_free_list(MDB_txn* reader, std::uint64_t first,
                    const std::function<bool(const FreedPages& freed)>& visit) {
  MDB_cursor* cursor = nullptr;
  if (const int code = mdb_cursor_open(reader, kFreePages, &cursor); code != MDB_SUCCESS)
    return code;
  std::size_t transaction = first;
  MDB_val key{sizeof transaction, &transaction};
  MDB_val record{};
  int code = mdb_cursor_get(cursor, &key, &record, MDB_SET_RANGE);
  for (; code == MDB_SUCCESS; code = mdb_cursor_get(cursor, &key, &record, MDB_NEXT)) {
    std::size_t found = 0;
    std::memcpy(&found, key.mv_data, sizeof found);
    if (!visit(FreedPages(found, record.mv_data))) break;
  }
  mdb_cursor_close(cursor);
  return code == MDB_NOTFOUND ? MDB_SUCCESS : code;
}

}  // namespace stator::storage
