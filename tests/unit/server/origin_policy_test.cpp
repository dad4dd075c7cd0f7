// server/origin_policy.cpp: which pages may read answers, which names are the server's own.

#include "server/origin_policy.h"

#include <catch2/catch.hpp>

namespace stator {
namespace {

OriginPolicy policy(std::string origins, std::string hosts = "") {
  return OriginPolicy({.origins = std::move(origins), .hosts = std::move(hosts)});
}

TEST_CASE("origin policy: pages of this machine", "[server]") {
  const OriginPolicy loopback = policy("loopback");
  for (const char* origin :
       {"http://localhost", "http://localhost:3000", "https://a.localhost:1", "http://127.0.0.1:80",
        "http://127.255.0.9", "http://[::1]:9", "HTTP://LocalHost", "http://localhost."}) {
    INFO(origin);
    CHECK(loopback.allowed_origin(origin) == "*");
  }
  for (const char* origin :
       {"", "null", "localhost", "http://", "http://a.test", "http://localhost.a.test",
        "http://notlocalhost", "http://127.0.0.1.a.test", "http://128.0.0.1", "http://[::2]",
        "http://[::1", "http://2130706433", "http://127.1", "http://a@localhost.test"}) {
    INFO(origin);
    CHECK(loopback.allowed_origin(origin).empty());
  }
}

TEST_CASE("origin policy: any, some, none", "[server]") {
  CHECK(policy("*").allowed_origin("http://a.test") == "*");
  const OriginPolicy some = policy(" http://a.test ,https://b.test:1");
  CHECK(some.allowed_origin("http://a.test") == "http://a.test");
  CHECK(some.allowed_origin("https://b.test:1") == "https://b.test:1");
  CHECK(some.allowed_origin("https://b.test").empty());
  CHECK(some.allowed_origin("").empty());
  CHECK(policy("").allowed_origin("http://localhost").empty());
}

TEST_CASE("origin policy: the server's own names", "[server]") {
  const OriginPolicy strict = policy("*");
  for (const char* host : {"localhost", "LOCALHOST:8000", "127.0.0.1:8000", "10.0.0.7", "[::1]:80",
                           "[fe80::1]", "dynamodb", "db.localhost:1", ""}) {
    INFO(host);
    CHECK(strict.is_own_host(host));
  }
  for (const char* host :
       {"a.test", "a.test:80", "127.0.0.1.a.test", "localhost.a.test", "1.2.3"}) {
    INFO(host);
    CHECK_FALSE(strict.is_own_host(host));
  }
  const OriginPolicy named = policy("*", "A.test, b.test:9");
  CHECK(named.is_own_host("a.TEST:1"));
  CHECK(named.is_own_host("b.test."));
  CHECK_FALSE(named.is_own_host("c.a.test"));
}

}  // namespace
}  // namespace stator
