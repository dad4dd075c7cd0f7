// How to open a data folder, or data in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

namespace stator::storage {

// What an acknowledged write survives.
enum class Sync : std::uint8_t {
  Commit,  // a power failure: one fsync per batch
  Lazy,    // a kill at once, a power failure after an interval
};

// Called before each commit of a migration.
struct MigrationProgress {
  std::uint32_t from_version;
  std::uint64_t records;  // rewritten since the folder was opened
};
using MigrationListener = std::function<void(const MigrationProgress&)>;

struct EnvironmentOptions {
  std::optional<std::filesystem::path> folder;  // empty for memory
  Sync sync = Sync::Lazy;                       // ignored in memory
  // Sync::Lazy: maximum age of the state that a power failure leaves. Half of it is time for the
  // sync itself; a slower sync makes that state older by the excess.
  std::chrono::milliseconds sync_interval{1000};
  // Identifies one start of the machine. engine/storage/FORMAT.md says what happens if it cannot be
  // read.
  std::filesystem::path boot_id_file = "/proc/sys/kernel/random/boot_id";
  // Maximum size of the data. Reserves address space, no memory or disk; halved until the
  // reservation succeeds.
  std::size_t map_bytes_max = std::size_t{1} << 40;
  // How long to wait for the end of another process that holds the folder.
  std::chrono::milliseconds lock_patience{0};
  // Called while data of an older format version is migrated; may be empty.
  MigrationListener on_migration;
};

}  // namespace stator::storage
