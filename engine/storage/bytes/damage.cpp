#include "engine/storage/bytes/damage.h"

namespace stator::storage {

void throw_damaged_record() { throw DamagedData("an item cannot be read"); }

}  // namespace stator::storage
