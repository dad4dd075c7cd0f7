#include "tests/cases/source_folder.h"

namespace stator::test {

std::string source_path(std::string_view path) {
  return std::string(STATOR_SOURCE_DIR "/").append(path);
}

}  // namespace stator::test
