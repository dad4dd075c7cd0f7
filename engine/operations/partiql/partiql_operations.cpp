#include "engine/operations/partiql/partiql_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation batch_execute_statement_row();
Operation execute_statement_row();
Operation execute_transaction_row();

OperationFamily partiql_operations() {
  static const std::array kRows{
      batch_execute_statement_row(),
      execute_statement_row(),
      execute_transaction_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator
