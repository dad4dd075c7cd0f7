// What the server runs with, as rows of /_stator/info and of /_stator/settings.
#pragma once

#include "server/dispatch/admin.h"

namespace stator {

// Writes the member `settings`.
void write_setting_rows(JsonWriter& json, const AdminParts& parts);

}  // namespace stator
