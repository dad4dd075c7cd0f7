#include "engine/storage/descriptions/report_line_key.h"

#include "engine/storage/keys/keys.h"

namespace stator::storage {

std::string ReportLineKey::sort() const {
  KeyBuffer key;
  key.append_u64(number);
  return std::string(key.view());
}

}  // namespace stator::storage
