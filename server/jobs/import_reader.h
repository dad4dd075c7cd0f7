// Reads the items of an import's objects.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "engine/api/ready_imports.h"
#include "engine/schema/import_job.h"
#include "server/data/formats/records.h"
#include "server/data/objects/object_source.h"

namespace stator {

// A reader of the object, as the import's format and compression say; nullptr if the object is
// empty. The error is for people, unless `progress` has a failure. `progress` must outlive the
// reader.
tl::expected<std::unique_ptr<data::RecordReader>, std::string> open_import_object(
    const ImportJob& job, std::unique_ptr<data::ObjectReader> object, const std::string& key,
    data::ObjectRead& progress);

// The record as an item that the table accepts; valid as long as the record. The error says why it
// is none.
tl::expected<ImportItem, std::string> import_item_of(const ImportJob& job, data::Record& record);

}  // namespace stator
