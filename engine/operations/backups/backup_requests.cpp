#include "engine/operations/backups/backup_requests.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "engine/call/scope.h"
#include "engine/call/settings.h"
#include "engine/storage/descriptions/descriptions.h"
#include "engine/storage/keys/keys.h"
#include "protocol/service/arn.h"

namespace stator {
namespace {

constexpr std::string_view kBackupPart = "/backup/";
constexpr double kMicrosPerSecond = 1e6;

Error backup_not_found(std::string_view arn) {
  return Error(ErrorCode::BackupNotFound, "Backup not found: " + std::string(arn));
}

// Whether the text begins as an ARN of a table of another service, partition or Region form.
bool is_arn_of_something(std::string_view text) {
  return text.starts_with("arn:") && text.find(":table/") != std::string_view::npos;
}

Result<Backup> find_backup_of(std::string_view scope, const Snapshot& snapshot, const Call& call,
                              const BackupArn& arn) {
  STATOR_CHECK(check_own_account(arn.account_id, call));
  STATOR_TRY(auto backup,
             storage::Backups::find(snapshot.transaction(), scope, arn.id, arn.table_name));
  if (!backup || backup->arn() != arn.text) return backup_not_found(arn.text);
  return *std::move(backup);
}

bool is_region(std::string_view text) {
  // us-east-1, us-gov-west-1, ap-southeast-2
  return std::count(text.begin(), text.end(), '-') >= 2 && !text.empty() && text.back() >= '0' &&
         text.back() <= '9';
}

}  // namespace

Result<const Table*> backup_table(const Snapshot& snapshot, const Call& call,
                                  std::string_view name_or_arn) {
  const Table* table = snapshot.find_table(call, name_or_arn);
  if (table == nullptr || table->status(snapshot.now()) == TableStatus::Creating)
    return Error::table_not_found(name_or_arn);
  return table;
}

Result<void> check_recovery(const Table& table) {
  if (table.recovery) return {};
  return Error(ErrorCode::PointInTimeRecoveryUnavailable,
               "Point in time recovery is not enabled for table '" + table.name + "'");
}

Result<void> check_own_account(std::string_view account_id, const Call& call) {
  if (account_id == call.settings->account_id) return {};
  return Error(ErrorCode::AccessDenied, "Access is denied");
}

Result<BackupArn> parse_backup_arn(std::string_view text) {
  const std::size_t part = text.find(kBackupPart);
  const auto table = parse_table_arn(text);
  const bool has_form = part != std::string_view::npos &&
                        text.size() == part + kBackupPart.size() + storage::kBackupIdBytes;
  const bool is_of_table = !table || table->rest == text.substr(std::min(part, text.size()));
  if (!has_form || !is_of_table) return Error::validation("Invalid Backup ARN");
  if (!table || !is_region(table->region)) {
    return Error::validation(is_arn_of_something(text) ? "Invalid Request: BackupArn is not valid"
                                                       : "Invalid Backup ARN");
  }
  return BackupArn{text,
                   text.substr(0, part),
                   table->region,
                   table->account_id,
                   table->table_name,
                   text.substr(part + kBackupPart.size())};
}

Result<Backup> find_backup(const Snapshot& snapshot, const Call& call, const BackupArn& arn) {
  Arena arena;
  return find_backup_of(scope_of(call, arena), snapshot, call, arn);
}

Result<Backup> find_backup_to_restore(const Snapshot& snapshot, const Call& call,
                                      const BackupArn& arn) {
  Arena arena;
  return find_backup_of(scope_in(arn.region, call, arena), snapshot, call, arn);
}

Error backup_in_use(std::string_view what, std::string_view arn) {
  return Error(ErrorCode::BackupInUse,
               "Backup is being " + std::string(what) + ": " + std::string(arn));
}

std::optional<Timestamp> time_member(const JsonNode& body, std::string_view name) {
  const JsonNode* node = body.find(name);
  if (node == nullptr) return std::nullopt;
  const double seconds = std::strtod(std::string(node->text()).c_str(), nullptr);
  // Beyond these no clock of the engine comes.
  constexpr double kSecondsMax = 1e11;
  if (!(std::abs(seconds) < kSecondsMax)) return seconds < 0 ? Timestamp::min() : Timestamp::max();
  return Timestamp{static_cast<std::int64_t>(std::llround(seconds * kMicrosPerSecond))};
}

}  // namespace stator
