// The operations on statements: each is a file and a line in the list below.
#include <array>

#include "engine/operations/families.h"

namespace stator {

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
