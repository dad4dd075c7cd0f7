// The description of an import in responses.
#pragma once

#include "engine/schema/import_job.h"
#include "protocol/json/json_writer.h"

namespace stator {

// Writes the member "ImportTableDescription".
void write_import_description(JsonWriter& out, const ImportJob& job);

// Writes an element of the list of imports.
void write_import_summary(JsonWriter& out, const ImportJob& job);

}  // namespace stator
