// Profiles and layers of wording.
#include "protocol/wording.h"

#include <catch2/catch.hpp>

namespace stator {
namespace {

TEST_CASE("wording: the classic profile has only the classic layer", "[protocol]") {
  for (const Layer layer : {Layer::Classic, Layer::Bare, Layer::Enveloped}) {
    const Wording classic = Wording::of(Profile::Classic, layer);
    CHECK_FALSE(classic.is_new());
    CHECK(classic.number_rules() == NumberRules::Classic);
    CHECK(classic.enveloped("text") == "text");
    CHECK(Wording::of(Profile::Current, layer).is_new() == (layer != Layer::Classic));
  }
}

TEST_CASE("wording: only the enveloped layer adds the prefix", "[protocol]") {
  CHECK(Wording::of(Profile::Current, Layer::Classic).enveloped("text") == "text");
  CHECK(Wording::of(Profile::Current, Layer::Bare).enveloped("text") == "text");
  CHECK(Wording::of(Profile::Current, Layer::Enveloped).enveloped("text") ==
        "1 validation error detected: text");
}

}  // namespace
}  // namespace stator
