// server/http/accept_encoding.cpp: one row per reading of the header.

#include "server/http/accept_encoding.h"

#include <catch2/catch.hpp>

namespace stator {
namespace {

struct Case {
  std::string_view header;
  Encoding encoding;
};

constexpr Case kCases[] = {
    {"", Encoding::Identity},
    {"identity", Encoding::Identity},
    {"gzip", Encoding::Gzip},
    {"GZip", Encoding::Gzip},
    {"deflate", Encoding::Deflate},
    {"gzip, deflate", Encoding::Gzip},
    {"deflate, gzip", Encoding::Deflate},
    {"deflate;q=0.5, gzip;q=0.8", Encoding::Gzip},
    {"deflate;q=0.8, gzip;q=0.5", Encoding::Deflate},
    {"gzip;q=0", Encoding::Identity},
    {"gzip;q=0, deflate;q=0.1", Encoding::Deflate},
    {"gzip;q=0.000", Encoding::Identity},
    {"gzip;q=0.001", Encoding::Gzip},
    {"deflate;q=1, gzip;q=7", Encoding::Deflate},
    {"deflate;q=0.9, gzip;q=7", Encoding::Gzip},
    {"deflate;q=0.9, gzip;q=99999999999999999999", Encoding::Gzip},
    {"*", Encoding::Gzip},
    {"*;q=0", Encoding::Identity},
    {"*, deflate;q=0.5", Encoding::Gzip},
    {"*, identity", Encoding::Gzip},
    {"*, gzip;q=0.5", Encoding::Deflate},
    {"*;q=0.5,identity", Encoding::Gzip},
    {"deflate;q=0.5,gzip;q=0.x", Encoding::Gzip},
    {"gzip;q =0;q=1", Encoding::Gzip},
    {"gzip;nq=0;q=1", Encoding::Identity},
    {"br,identity;q=0.5,gzip;q=0.0001", Encoding::Gzip},
    {"*;q=0, deflate", Encoding::Deflate},
    {"br, zstd, compress, x-gzip, identity", Encoding::Identity},
    {"br;q=1, gzip;q=0.1", Encoding::Gzip},
    {" gzip ; q = 0.5 , deflate ; Q=0.6", Encoding::Gzip},
    {"gzip;q=abc", Encoding::Gzip},
    {"gzip;q=", Encoding::Gzip},
    {"gzip;q=0.5x, deflate;q=0.1", Encoding::Gzip},
    {"gzip;level=9;q=0.2, deflate;q=0.3", Encoding::Deflate},
    {",,gzip,,", Encoding::Gzip},
    {"gzip;q=0, gzip;q=1, gzip;q=0", Encoding::Gzip},
    {"gzip;q=0, gzip;q=0", Encoding::Identity},
    {"gzip;q=0.2, deflate;q=0.5, gzip;q=0.8", Encoding::Gzip},
    {"gzip;q=0.8, deflate;q=0.5, gzip;q=0.2", Encoding::Gzip},
    {"gzip;q=0.5, deflate, gzip", Encoding::Deflate},
    {"deflate;q=0, deflate;q=0.1, gzip;q=0", Encoding::Deflate},
    {"*;q=0, *;q=0.5, *;q=0", Encoding::Gzip},
    {"gzip;q=0, *", Encoding::Deflate},
    {"gzip;q=0, *, deflate;q=0", Encoding::Identity},
    {"gzip;q=0, gzip;q=0.1, *;q=0.5", Encoding::Deflate},
    {"gzipped", Encoding::Identity},
};

TEST_CASE("accept encoding: the service's choice", "[server]") {
  for (const Case& c : kCases) {
    INFO(c.header);
    CHECK(negotiate_encoding(c.header) == c.encoding);
  }
}

}  // namespace
}  // namespace stator
