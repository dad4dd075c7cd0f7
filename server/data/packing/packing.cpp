#include "server/data/packing/packing.h"

#include <array>

namespace stator::data {

namespace {

struct Names {
  Packing packing;
  std::string_view name;
  std::string_view ending;
};

constexpr std::array kNames{
    Names{Packing::None, "none", ""},
    Names{Packing::Gzip, "gzip", ".gz"},
    Names{Packing::Zstd, "zstd", ".zst"},
};

const Names& names_of(Packing packing) { return kNames[static_cast<std::size_t>(packing)]; }

}  // namespace

std::string_view packing_name(Packing packing) { return names_of(packing).name; }

std::optional<Packing> find_packing(std::string_view name) {
  for (const Names& names : kNames)
    if (names.name == name) return names.packing;
  return std::nullopt;
}

std::string_view packing_ending(Packing packing) { return names_of(packing).ending; }

Packing packing_of_name(std::string_view name) {
  for (const Packing packing : {Packing::Gzip, Packing::Zstd})
    if (name.ends_with(packing_ending(packing))) return packing;
  return Packing::None;
}

}  // namespace stator::data
