#include "engine/storage/migration/open_store.h"

#include <utility>

#include "engine/storage/bytes/format.h"
#include "engine/storage/durability/store_options.h"
#include "engine/storage/environment/undo_log.h"
#include "engine/storage/migration/migration.h"

namespace stator::storage {
namespace {

Result<void> resume_marks(Environment& environment) {
  ReadTransaction transaction(environment);
  STATOR_CHECK(transaction.acquire());
  STATOR_TRY(const auto marks, all_marks(transaction));
  environment.remember_changes_after(marks.empty() ? 0 : marks.back().number);
  return {};
}

}  // namespace

tl::expected<std::unique_ptr<Environment>, std::string> open_store(
    const EnvironmentOptions& options) {
  auto environment = Environment::open(options);
  if (!environment || !options.folder) return environment;
  const auto failed = [&](const std::string& why) {
    return tl::unexpected("cannot use the data folder " + options.folder->string() + ": " + why);
  };
  // Before marks are in effect: a rollback must not bring records of the old format back.
  if (auto migrated = finish_migration(**environment, options.on_migration); !migrated)
    return failed("it cannot be brought to format version " + std::to_string(kFormatVersion) +
                  ": " + migrated.error().message());
  if (auto resumed = resume_marks(**environment); !resumed)
    return failed(resumed.error().message());
  return environment;
}

}  // namespace stator::storage
