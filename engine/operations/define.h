// define<T>(): makes the Operation row of a struct that follows the convention in operation.h.
#pragma once

#include "engine/operations/operation.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"

namespace stator {

template <class T>
constexpr Operation define() {
  Operation row{};
  row.name = T::name;
  row.access = T::access;
  row.layer = T::layer;
  row.parse = [](const JsonNode& body, Call& call) -> Result<const void*> {
    STATOR_TRY(const typename T::Request* request, T::parse(body, call));
    return static_cast<const void*>(request);
  };
  if constexpr (T::access == Access::Read) {
    row.read = [](const void* request, const Snapshot& snapshot, Call& call) {
      return T::execute(*static_cast<const typename T::Request*>(request), snapshot, call);
    };
  } else {
    row.write = [](const void* request, const Snapshot& snapshot, Mutation& mutation, Call& call) {
      return T::execute(*static_cast<const typename T::Request*>(request), snapshot, mutation,
                        call);
    };
  }
  return row;
}

}  // namespace stator
