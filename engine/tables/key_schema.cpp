#include "engine/tables/key_schema.h"

namespace stator {

void write_key_schema(JsonWriter& out, std::span<const KeyAttribute> partition_keys,
                      std::span<const KeyAttribute> sort_keys) {
  const auto element = [&](const KeyAttribute& key, std::string_view type) {
    out.begin_object();
    out.member("AttributeName", std::string_view(key.name));
    out.member("KeyType", type);
    out.end_object();
  };
  out.key("KeySchema");
  out.begin_array();
  for (const KeyAttribute& key : partition_keys) element(key, "HASH");
  for (const KeyAttribute& key : sort_keys) element(key, "RANGE");
  out.end_array();
}

void write_key_schema(JsonWriter& out, const KeyAttribute& partition_key,
                      const std::optional<KeyAttribute>& sort_key) {
  const auto sort_keys = sort_key ? std::span(&*sort_key, 1) : std::span<const KeyAttribute>();
  write_key_schema(out, std::span(&partition_key, 1), sort_keys);
}

}  // namespace stator
