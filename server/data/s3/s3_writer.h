// Writes an object to S3: a small one at once, a large one as an upload of parts.
#pragma once

#include <memory>
#include <string>

#include "server/data/objects/object_store.h"
#include "server/data/s3/s3_client.h"

namespace stator::data {

// An object of at most this size goes in one request; larger ones go in parts of it, which S3 wants
// to have 5 MiB at least, and 10,000 of them at most.
inline constexpr std::size_t kS3PartBytes = std::size_t{16} << 20;

// A writer that goes before its finish() aborts its upload. `client` must outlive it.
std::unique_ptr<ObjectWriter> make_s3_writer(S3Client& client, std::string bucket, std::string key);

}  // namespace stator::data
