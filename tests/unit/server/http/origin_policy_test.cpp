// server/http/origin_policy.cpp: which pages may read answers, which names are the server's own.
// The whole policy is walked by conformance/protocol/raw_http/test_origin_policy.py, from the table
// in SECURITY.md.

#include "server/http/origin_policy.h"

#include <optional>

#include <catch2/catch.hpp>

#include "tests/unit/server/harness/parse_request.h"

namespace stator {
namespace {

OriginPolicy policy(std::string origins, std::string hosts = "", bool is_tls = false) {
  return OriginPolicy({.origins = std::move(origins), .hosts = std::move(hosts)}, is_tls);
}

struct Verdict {
  Entry entry;
  std::string allowed_origin;
  bool varies;
};

// Without an origin: no page asks.
Verdict judge(const OriginPolicy& policy, const std::string& start_line, const std::string& host,
              const std::optional<std::string>& origin) {
  test::Feeder feeder;
  const std::string page = origin ? "Origin: " + *origin + "\r\n" : "";
  REQUIRE(feeder.feed(start_line + " HTTP/1.1\r\nHost: " + host + "\r\n" + page + "\r\n") ==
          HttpRequestParser::Progress::Complete);
  const OriginVerdict verdict = policy.judge(feeder.request());
  return {verdict.entry, std::string(verdict.allowed_origin), verdict.varies};
}

std::string allowed(const OriginPolicy& policy, const std::string& origin,
                    const std::string& host = "localhost:8000") {
  return judge(policy, "POST /", host, origin).allowed_origin;
}

bool is_own_host(const OriginPolicy& policy, const std::string& host) {
  return judge(policy, "GET /metrics", host, std::nullopt).entry == Entry::Open;
}

TEST_CASE("origin policy: pages of this machine", "[server]") {
  const OriginPolicy loopback = policy("loopback");
  for (const char* origin :
       {"http://localhost", "http://localhost:3000", "https://a.localhost:1", "http://127.0.0.1:80",
        "http://127.255.0.9", "http://[::1]:9", "HTTP://LocalHost", "http://localhost."}) {
    INFO(origin);
    CHECK(allowed(loopback, origin) == "*");
  }
  for (const char* origin : {"",
                             "null",
                             "localhost",
                             "http://",
                             "http://a.test",
                             "http://localhost.a.test",
                             "http://notlocalhost",
                             "http://127.0.0.1.a.test",
                             "http://128.0.0.1",
                             "http://[::2]",
                             "http://[::1",
                             "http://2130706433",
                             "http://127.1",
                             "http://a@localhost.test",
                             "http://localhost:1.a.test",
                             "http://localhost:",
                             "http://localhost:123456",
                             "http://localhost/a",
                             "http://a@localhost",
                             "http://[::1]a.test",
                             "http://[::1]:1.a.test",
                             "http://127.0.0.1:80.a.test"}) {
    INFO(origin);
    CHECK(allowed(loopback, origin).empty());
  }
}

TEST_CASE("origin policy: any, some, none", "[server]") {
  CHECK(allowed(policy("*"), "http://a.test") == "*");
  const OriginPolicy some = policy(" http://a.test ,https://b.test:1");
  CHECK(allowed(some, "http://a.test") == "http://a.test");
  CHECK(allowed(some, "https://b.test:1") == "https://b.test:1");
  CHECK(allowed(some, "https://b.test").empty());
  CHECK(allowed(some, "").empty());
  CHECK(allowed(policy(""), "http://localhost").empty());
}

TEST_CASE("origin policy: any page is let in to the signed API alone", "[server]") {
  const OriginPolicy any = policy("*");
  for (const char* path : {"POST /_stator/reset", "GET /_stator/requests", "GET /metrics"}) {
    INFO(path);
    CHECK(judge(any, path, "localhost", "http://a.test").entry == Entry::ForeignOrigin);
    CHECK(judge(policy("http://a.test"), path, "localhost", "http://a.test").entry == Entry::Open);
  }
}

TEST_CASE("origin policy: another page of this machine only reads the admin path", "[server]") {
  for (const OriginPolicy& local : {policy("loopback"), policy("*")}) {
    const auto entry = [&](const char* line, const char* origin) {
      return judge(local, line, "localhost:8000", origin).entry;
    };
    for (const char* line : {"GET /_stator/marks", "HEAD /_stator/clock", "GET /metrics"})
      CHECK(entry(line, "http://localhost:1") == Entry::Open);
    for (const char* line :
         {"POST /_stator/reset", "POST /_stator/clock", "GET /_stator/requests",
          "GET /_stator/requests/ID", "OPTIONS /_stator/clock", "POST /_stator/mcp"}) {
      INFO(line);
      CHECK(entry(line, "http://localhost:1") == Entry::ForeignOrigin);
      CHECK(entry(line, "http://127.0.0.1:8000") == Entry::ForeignOrigin);
      CHECK(entry(line, "http://localhost:8000") == Entry::Open);
    }
    CHECK(entry("POST /", "http://localhost:1") == Entry::Open);
  }
  const OriginPolicy named = policy("http://localhost:1");
  CHECK(judge(named, "POST /_stator/reset", "localhost:8000", "http://localhost:1").entry ==
        Entry::Open);
  CHECK(judge(named, "POST /_stator/reset", "localhost:8000", "http://localhost:2").entry ==
        Entry::ForeignOrigin);
}

TEST_CASE("origin policy: pages that the server itself gave", "[server]") {
  const OriginPolicy loopback = policy("loopback", "db.test");
  CHECK(allowed(loopback, "http://10.0.0.7:8000", "10.0.0.7:8000") == "http://10.0.0.7:8000");
  CHECK(allowed(loopback, "http://db.test:8000", "DB.test:8000") == "http://db.test:8000");
  CHECK(allowed(loopback, "https://10.0.0.7:8000", "10.0.0.7:8000").empty());
  CHECK(allowed(loopback, "http://10.0.0.7:8001", "10.0.0.7:8000").empty());
  CHECK(allowed(policy("loopback", "", true), "https://10.0.0.7", "10.0.0.7") ==
        "https://10.0.0.7");
  // A rebound name is equal, too.
  const Verdict rebound = judge(loopback, "POST /", "a.test:8000", "http://a.test:8000");
  CHECK(rebound.entry == Entry::ForeignHost);
  CHECK(rebound.allowed_origin.empty());
}

TEST_CASE("origin policy: the server's own names", "[server]") {
  const OriginPolicy strict = policy("*");
  for (const char* host : {"localhost", "LOCALHOST:8000", "127.0.0.1:8000", "10.0.0.7", "[::1]:80",
                           "[fe80::1]", "dynamodb", "db.localhost:1", ""}) {
    INFO(host);
    CHECK(is_own_host(strict, host));
  }
  for (const char* host : {"a.test", "a.test:80", "127.0.0.1.a.test", "localhost.a.test", "1.2.3",
                           "localhost:1.a.test", "[::1]a.test", "a@localhost", "[::1"}) {
    INFO(host);
    CHECK_FALSE(is_own_host(strict, host));
  }
  const OriginPolicy named = policy("*", "A.test, b.test:9");
  CHECK(is_own_host(named, "a.TEST:1"));
  CHECK(is_own_host(named, "b.test."));
  CHECK_FALSE(is_own_host(named, "c.a.test"));
}

TEST_CASE("origin policy: the host of an absolute target counts", "[server]") {
  const OriginPolicy loopback = policy("loopback");
  const auto entry = [&](const std::string& target, const std::string& host) {
    return judge(loopback, "GET " + target, host, std::nullopt).entry;
  };
  CHECK(entry("http://a.test:8000/_stator/requests", "localhost:8000") == Entry::ForeignHost);
  CHECK(entry("http://localhost:8000/_stator/requests", "a.test") == Entry::Open);
}

TEST_CASE("origin policy: answers vary with the origin where another gets another", "[server]") {
  const OriginPolicy loopback = policy("loopback");
  CHECK(judge(loopback, "POST /", "localhost", "http://localhost").varies);
  CHECK(judge(loopback, "POST /", "localhost", "http://a.test").varies);
  CHECK(judge(loopback, "GET /healthz", "localhost", std::nullopt).varies);
  CHECK_FALSE(judge(loopback, "POST /", "localhost", std::nullopt).varies);
  CHECK_FALSE(judge(policy("*"), "POST /", "localhost", "http://a.test").varies);
  CHECK(judge(policy("*"), "GET /metrics", "localhost", std::nullopt).varies);
}

// The status of a request with these header lines; 0: it is let in.
int refusal(const OriginPolicy& policy, const std::string& start_line, const std::string& headers) {
  test::Feeder feeder;
  REQUIRE(feeder.feed(start_line + " HTTP/1.1\r\n" + headers + "\r\n") ==
          HttpRequestParser::Progress::Complete);
  switch (policy.judge(feeder.request()).entry) {
    case Entry::Open:
      return 0;
    case Entry::NoToken:
      return 401;
    case Entry::ForeignHost:
    case Entry::ForeignOrigin:
      return 403;
  }
  return -1;
}

TEST_CASE("origin policy: browsers beyond this machine need the token", "[server]") {
  const OriginPolicy policy({.origins = "loopback", .hosts = "db.test", .token = "secret-secret"});
  const std::string browser = "User-Agent: Mozilla/5.0 (X11)\r\n";
  const std::string beyond = "Host: 192.168.1.5:8000\r\n";
  const std::string path = "GET /_stator/requests";
  CHECK(refusal(policy, path, beyond + browser) == 401);
  CHECK(refusal(policy, path, beyond + "Origin: http://192.168.1.5:8000\r\n") == 401);
  CHECK(refusal(policy, path, beyond + "x-stator-console: 1\r\n") == 401);
  CHECK(refusal(policy, "GET /metrics", "Host: db.test\r\n" + browser) == 401);
  CHECK(refusal(policy, path, "Host: stator:8000\r\n" + browser) == 401);
  CHECK(refusal(policy, path, beyond + browser + "x-stator-token: secret-secre\r\n") == 401);
  CHECK(refusal(policy, path, beyond + browser + "x-stator-token: secret-secreT\r\n") == 401);
  CHECK(refusal(policy, path, beyond + browser + "x-stator-token: secret-secret\r\n") == 0);
  // A foreign page gets no chance to guess.
  CHECK(refusal(policy, path, "Host: evil.test\r\nx-stator-token: secret-secret\r\n") == 403);
  CHECK(refusal(policy, path,
                beyond + "Origin: http://evil.test\r\nx-stator-token: secret-secret\r\n") == 403);
  // Programs, browsers on this machine, files without data, and what is no admin path.
  CHECK(refusal(policy, path, beyond + "User-Agent: curl/8\r\n") == 0);
  for (const char* const host : {"localhost:8000", "127.0.0.1", "[::1]:8000", "a.localhost"})
    CHECK(refusal(policy, path, "Host: " + std::string(host) + "\r\n" + browser) == 0);
  CHECK(refusal(policy, "GET /_stator/console/", beyond + browser) == 0);
  CHECK(refusal(policy, "GET /_stator/consoles", beyond + browser) == 401);
  CHECK(refusal(policy, "POST /", beyond + browser) == 0);
  CHECK(refusal(policy, "GET /healthz", beyond + browser) == 0);
  // The question that a browser asks before it sends the header.
  CHECK(refusal(policy, "OPTIONS /_stator/clock", beyond + "Origin: http://192.168.1.5:8000\r\n") ==
        0);
}

TEST_CASE("origin policy: only a browser that opens the root as a page visits the console",
          "[server]") {
  const OriginPolicy policy({}, /*is_tls=*/false, /*has_admin_path=*/true, /*has_console=*/true);
  const auto visits = [](const OriginPolicy& asked, const std::string& line,
                         const std::string& headers) {
    test::Feeder feeder;
    REQUIRE(feeder.feed(line + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n") ==
            HttpRequestParser::Progress::Complete);
    return asked.is_console_visit(feeder.request());
  };
  const std::string page = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9\r\n";
  CHECK(visits(policy, "GET /", page));
  CHECK(visits(policy, "GET /", "accept: Application/XHTML+xml;q=1 , TEXT/HTML ; q=0.8\r\n"));
  for (const char* const accept :
       {"*/*", "text/html, image/gif, image/jpeg, */*; q=0.2", "application/json",
        "application/xhtml+xml", "text/htmlx,application/xhtml+xml", ""})
    CHECK_FALSE(visits(policy, "GET /", "Accept: " + std::string(accept) + "\r\n"));
  CHECK_FALSE(visits(policy, "GET /", ""));
  CHECK_FALSE(visits(policy, "HEAD /", page));
  CHECK_FALSE(visits(policy, "GET /?a", page));
  CHECK_FALSE(visits(policy, "GET /x", page));
  CHECK_FALSE(visits(policy, "GET /", page + "Authorization: AWS4\r\n"));
  CHECK_FALSE(visits(policy, "GET /", page + "X-Amz-Content-Sha256: a\r\n"));
  CHECK_FALSE(visits(OriginPolicy({}), "GET /", page));
  CHECK(refusal(policy, "GET /", "Host: evil.test\r\n" + page) == 403);
  CHECK(refusal(policy, "GET /", "Host: evil.test\r\n") == 0);
}

}  // namespace
}  // namespace stator
