#include "server/options/version.h"

namespace stator {

std::string version_text() { return "Stator " STATOR_VERSION; }

}  // namespace stator
