// define<T>(): makes the Operation row of a struct that follows the convention in operation.h.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

template <class T>
constexpr bool kCanRead = requires(const typename T::Request& request, const Snapshot& snapshot,
                                   Call& call) {
  T::execute(request, snapshot, call);
};

template <class T>
constexpr bool kCanWrite = requires(const typename T::Request& request, const Snapshot& snapshot,
                                    Mutation& mutation, Call& call) {
  T::execute(request, snapshot, mutation, call);
};

// Access control knows of a request what this says, so no operation may go without it.
template <class T>
constexpr bool kSaysWhatItTouches = requires(const typename T::Request& request,
                                             Resources& touched) {
  T::resources(request, touched);
};

template <class T>
Access access_of(const typename T::Request& request) {
  if constexpr (kCanRead<T> && kCanWrite<T>) {
    return T::access(request);
  } else {
    static_cast<void>(request);
    return kCanRead<T> ? Access::Read : Access::Write;
  }
}

template <class T>
constexpr Operation define() {
  static_assert(kCanRead<T> || kCanWrite<T>);
  static_assert(kSaysWhatItTouches<T>);
  Operation row{};
  row.name = T::name;
  row.layer = T::layer;
  row.parse = [](const JsonNode& body, Call& call) -> Result<ParsedRequest> {
    STATOR_TRY(const typename T::Request* request, T::parse(body, call));
    return ParsedRequest{request, access_of<T>(*request)};
  };
  if constexpr (kCanRead<T>) {
    row.read = [](const void* request, const Snapshot& snapshot, Call& call) {
      return T::execute(*static_cast<const typename T::Request*>(request), snapshot, call);
    };
  }
  if constexpr (kCanWrite<T>) {
    row.write = [](const void* request, const Snapshot& snapshot, Mutation& mutation, Call& call) {
      return T::execute(*static_cast<const typename T::Request*>(request), snapshot, mutation,
                        call);
    };
  }
  row.only_frees_space = [](const void* request) {
    static_cast<void>(request);
    if constexpr (requires(const typename T::Request& parsed) { T::only_frees_space(parsed); }) {
      return T::only_frees_space(*static_cast<const typename T::Request*>(request));
    } else {
      return requires { requires T::only_frees_space; };
    }
  };
  row.resources = [](const void* request, Resources& touched) {
    T::resources(*static_cast<const typename T::Request*>(request), touched);
  };
  return row;
}

}  // namespace stator
