// The description of a bulk put in responses.
#pragma once

#include "engine/schema/bulk_job.h"
#include "protocol/json/json_writer.h"

namespace stator {

// Writes the member "BulkOperationDescription".
void write_bulk_description(JsonWriter& out, const BulkJob& job);

// Writes an element of "BulkOperationsSummaryList".
void write_bulk_summary(JsonWriter& out, const BulkJob& job);

}  // namespace stator
