// What jobs of several kinds share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/schema/import_job.h"
#include "server/data/objects/object_store.h"
#include "server/data/packing/packing.h"

namespace stator {

// Bytes of stored items or lines that are read at a time.
inline constexpr std::size_t kReadBytes = std::size_t{1} << 20;
// Bytes of text after which an output file ends and another begins.
inline constexpr std::size_t kFileBytes = std::size_t{64} << 20;

// How the readers of formats name the compression of a job's objects.
constexpr data::Packing packing_of(ObjectCompression compression) {
  switch (compression) {
    case ObjectCompression::Gzip:
      return data::Packing::Gzip;
    case ObjectCompression::Zstd:
      return data::Packing::Zstd;
    case ObjectCompression::None:
      break;
  }
  return data::Packing::None;
}

// Why a job fails whose commit was refused. The storage's own words are for the log.
inline data::StoreFailure not_stored(std::string_view what) {
  return {"InternalServerError",
          std::string(what) + " cannot be stored: the data folder is full or cannot be written"};
}

}  // namespace stator
