// StoredState: what the tables and jobs of a store are, read for a check. A record that cannot be
// read is a finding and is left out.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/catalog/catalog.h"
#include "engine/data_folder/findings.h"
#include "engine/schema/backup.h"
#include "engine/schema/bulk_job.h"
#include "engine/schema/export_job.h"
#include "engine/schema/import_job.h"
#include "engine/schema/kinesis.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

struct StoredState {
  const storage::Transaction& transaction;
  Findings& findings;
  std::shared_ptr<Catalog> catalog;
  std::vector<Backup> backups;
  std::vector<ExportJob> exports;  // these and the next two: also those that have ended
  std::vector<ImportJob> imports;
  std::vector<BulkJob> bulk_jobs;
  std::vector<KinesisStream> kinesis_streams;
  // What each space with records belongs to, as findings name it.
  std::map<storage::SpaceId, std::string> owners;

  bool is_owned(storage::SpaceId space) const { return owners.contains(space); }
};

// What findings call them.
std::string place_of(const Table& table);
std::string place_of(const Backup& backup);
std::string place_of(const ExportJob& job);
std::string place_of(const ImportJob& job);
std::string place_of(const BulkJob& job);
std::string place_of(const KinesisStream& stream);
std::string place_of(storage::SpaceId space);

// Reads the state. Finds descriptions that are damaged, that stand under another key, that are not
// found by the space of their work, and spaces that have two owners. The arguments must outlive the
// result.
Result<StoredState> read_stored_state(const storage::Transaction& transaction, Findings& findings);

}  // namespace stator
