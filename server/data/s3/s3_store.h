// S3Store: the buckets of a server of S3, with paths that begin with the bucket's name.
//
// Keys with a part `.` or `..` are refused, because a server on the way might take them for
// another bucket's.
#pragma once

#include <memory>

#include "server/client/endpoint.h"
#include "server/data/objects/object_store.h"

namespace stator::data {

std::unique_ptr<ObjectStore> make_s3_store(Endpoint endpoint);

}  // namespace stator::data
