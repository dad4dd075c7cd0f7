#include "engine/storage/bytes/migration_position.h"

#include "engine/storage/bytes/bytes.h"

namespace stator::storage {

std::string MigrationPosition::encode() const {
  std::string value;
  ByteWriter out(value);
  out.be(from);
  out.u8(stage);
  out.raw(done_key);
  return value;
}

Result<MigrationPosition> MigrationPosition::decode(std::string_view bytes) {
  ByteReader in(bytes);
  MigrationPosition position;
  position.from = in.be<std::uint32_t>();
  position.stage = in.u8();
  position.done_key = in.raw(in.rest().size());
  STATOR_CHECK(in.finish("the position of a migration"));
  if (position.from != kOldestFormatVersion || position.stage > 3) {
    return Error(ErrorCode::InternalServerError,
                 "the data is damaged: the position of a migration means nothing");
  }
  return position;
}

}  // namespace stator::storage
