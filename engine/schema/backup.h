// Backups of tables, and copies of a table's items as of one moment, which backups and restores
// make.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/schema/space.h"
#include "engine/schema/space_stats.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"

namespace stator {

enum class BackupType : std::uint8_t {
  User,    // made by CreateBackup
  System,  // what a table with point-in-time recovery left when it was deleted
};
std::string_view to_text(BackupType type);

struct Backup {
  std::string scope;  // which requests can use it (Isolation)
  std::string id;     // 01489602797149-73d8d5bc; in the order of creation
  std::string name;
  BackupType type = BackupType::User;
  Timestamp created;
  std::optional<Timestamp> expires;  // System only
  Table table;                       // as it was
  std::int64_t item_count = 0;       // of the table at that moment
  std::int64_t size_bytes = 0;
  storage::SpaceId space{};      // the items; a new backup has space zero until it is applied
  std::optional<ItemCopy> copy;  // set while items are copied
  Timestamp creating_until;

  bool is_creating(Timestamp now) const { return copy || now < creating_until; }
  std::string arn() const;
};

}  // namespace stator
