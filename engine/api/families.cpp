#include "engine/api/families.h"

#include "engine/operations/backups/backup_operations.h"
#include "engine/operations/batches/batch_operations.h"
#include "engine/operations/bulk/bulk_operations.h"
#include "engine/operations/exports/export_operations.h"
#include "engine/operations/imports/import_operations.h"
#include "engine/operations/insights/insight_operations.h"
#include "engine/operations/items/item_operations.h"
#include "engine/operations/kinesis/kinesis_operations.h"
#include "engine/operations/partiql/partiql_operations.h"
#include "engine/operations/policies/policy_operations.h"
#include "engine/operations/reads/read_operations.h"
#include "engine/operations/tables/table_operations.h"
#include "engine/operations/tags/tag_operations.h"
#include "engine/operations/transactions/transaction_operations.h"

namespace stator {

std::vector<OperationFamily> engine_families() {
  return {item_operations(),    batch_operations(),  read_operations(),        table_operations(),
          insight_operations(), tag_operations(),    transaction_operations(), partiql_operations(),
          backup_operations(),  policy_operations(), export_operations(),      import_operations(),
          bulk_operations(),    kinesis_operations()};
}

}  // namespace stator
