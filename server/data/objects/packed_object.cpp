#include "server/data/objects/packed_object.h"

#include <utility>

#include "server/data/packing/packer.h"

namespace stator::data {

struct PackedObject::Impl {
  explicit Impl(std::unique_ptr<ObjectWriter> writer_) : writer{std::move(writer_)} {}

  std::unique_ptr<ObjectWriter> writer;
  std::unique_ptr<Packer> packer = make_packer(Packing::Gzip);
  Md5 digest;
  StoreResult result;  // of the last write
  const Packer::Take take = [this](std::string_view packed) {
    digest.add(packed);
    result = writer->append(packed);
    return result.has_value();
  };
};

PackedObject::PackedObject(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
PackedObject::~PackedObject() = default;
PackedObject::PackedObject(PackedObject&&) noexcept = default;

tl::expected<PackedObject, StoreFailure> PackedObject::create(ObjectStore& store,
                                                              std::string_view bucket,
                                                              std::string_view key) {
  auto writer = store.create(bucket, key);
  if (!writer) return tl::unexpected(std::move(writer).error());
  return PackedObject{std::make_unique<Impl>(*std::move(writer))};
}

StoreResult PackedObject::append(std::string_view bytes) {
  impl_->packer->add(bytes, impl_->take);
  return impl_->result;
}

tl::expected<PackedObject::Sums, StoreFailure> PackedObject::finish() {
  if (!impl_->packer->finish(impl_->take)) return tl::unexpected(impl_->result.error());
  if (auto finished = impl_->writer->finish(); !finished)
    return tl::unexpected(std::move(finished).error());
  Md5::Texts sums = impl_->digest.finish();
  const std::string etag = impl_->writer->etag();
  return Sums{std::move(sums.base64), etag.empty() ? sums.hex : etag};
}

}  // namespace stator::data
