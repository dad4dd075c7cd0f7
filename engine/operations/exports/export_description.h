// The description of an export in responses.
#pragma once

#include "engine/schema/export_job.h"
#include "protocol/json/json_writer.h"

namespace stator {

// The type of an export whose request may have left it out.
ExportType type_of(const ExportJob& job);

// Writes the member "ExportDescription".
void write_export_description(JsonWriter& out, const ExportJob& job);

}  // namespace stator
