#include "engine/storage/stores/token_store.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/keys/keys.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::storage {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp kStart{1'790'000'000'000'000};
constexpr auto kWrites = TokenKind::TransactWriteItems;
constexpr auto kStatements = TokenKind::ExecuteTransaction;

std::string fingerprint(char filler) { return std::string(kFingerprintBytes, filler); }

void put(WriteTransaction& transaction, const TokenName& name, Timestamp finished = kStart,
         char filler = 'f', std::string_view payload = "payload") {
  unwrap(put_token(transaction, {name, finished, fingerprint(filler), payload}));
}

bool is_there(const Transaction& transaction, const TokenName& name, Timestamp now = kStart) {
  return unwrap(find_token(transaction, name, now)).has_value();
}

// Whether both databases agree; how many there are.
std::uint64_t count_checked(const Transaction& transaction) {
  std::uint64_t count = 0;
  unwrap(for_each_token(transaction, [&](const StoredToken&, bool is_timed) {
    CHECK(is_timed);
    ++count;
  }));
  CHECK(count_tokens(transaction) == count);
  return count;
}

// Scopes, kinds and texts that must not be taken for each other, of all lengths.
std::vector<std::pair<std::string, std::string>> names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const std::size_t scope : std::vector<std::size_t>{0, 1, 2, 63, 64, 65, 66, 300}) {
    for (const std::size_t text : std::vector<std::size_t>{1, 2, 35, 36, 144}) {
      for (const char filler : {'\x01', 'a', '\xFF'})
        names.emplace_back(std::string(scope, filler), std::string(text, filler));
    }
  }
  return names;
}

TEST_CASE("tokens: each is found by its scope, kind and text alone", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  const TokenName name{"us-east-1", kWrites, "token"};
  put(*transaction, name);
  const auto found = unwrap(find_token(*transaction, name, kStart));
  REQUIRE(found);
  CHECK(found->finished == kStart);
  CHECK(found->fingerprint == fingerprint('f'));
  CHECK(found->payload == "payload");
  CHECK(found->name.text == "token");
  CHECK_FALSE(is_there(*transaction, {"us-east-1", kStatements, "token"}));
  CHECK_FALSE(is_there(*transaction, {"us-east-2", kWrites, "token"}));
  CHECK_FALSE(is_there(*transaction, {"", kWrites, "token"}));
  CHECK_FALSE(is_there(*transaction, {"us-east-1", kWrites, "toke"}));
  CHECK_FALSE(is_there(*transaction, {"us-east-1", kWrites, "token "}));

  // Empty scopes of the three fillers are one.
  std::uint64_t count = 1;
  for (const auto& [scope, text] : names()) {
    for (const TokenKind kind : {kWrites, kStatements}) {
      const TokenName other{scope, kind, text};
      if (scope.empty() && text.front() != 'a') continue;
      CHECK_FALSE(is_there(*transaction, other));
      put(*transaction, other, kStart.plus(std::chrono::microseconds(count)));
      ++count;
    }
  }
  CHECK(count_checked(*transaction) == count);
}

TEST_CASE("tokens: one counts for ten minutes after its request finished", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  const TokenName name{"us-east-1", kWrites, "token"};
  put(*transaction, name);
  CHECK(is_there(*transaction, name, kStart.plus(10min - 1us)));
  CHECK_FALSE(is_there(*transaction, name, kStart.plus(10min)));
  CHECK(count_checked(*transaction) == 1);

  // The next one of its name takes its place.
  put(*transaction, name, kStart.plus(10min), 'g', "");
  CHECK(count_checked(*transaction) == 1);
  const auto found = unwrap(find_token(*transaction, name, kStart.plus(20min - 1us)));
  REQUIRE(found);
  CHECK(found->fingerprint == fingerprint('g'));
  CHECK(found->payload.empty());
  CHECK(unwrap(first_token_finished(*transaction)) == kStart.plus(10min));
}

TEST_CASE("tokens: the oldest go first, as many as asked for", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  CHECK_FALSE(unwrap(first_token_finished(*transaction)).has_value());
  CHECK_FALSE(unwrap(erase_oldest_tokens(*transaction, Timestamp::max(), 1)).has_value());
  // The names' order is not that of their times, and two are of one time.
  for (int i = 0; i < 100; ++i) {
    const std::string text = std::to_string(i * 37 % 100);
    put(*transaction, {"us-east-1", kWrites, text}, kStart.plus(std::chrono::seconds(i)));
  }
  put(*transaction, {"us-east-1", kStatements, "0"}, kStart);
  const auto erase = [&](std::chrono::seconds until, std::size_t count_max) {
    return unwrap(erase_oldest_tokens(*transaction, kStart.plus(until), count_max));
  };
  CHECK(erase(-1s, 1000) == kStart);
  CHECK(erase(1s, 1) == kStart);
  CHECK(count_checked(*transaction) == 100);
  CHECK(erase(1s, 1000) == kStart.plus(2s));
  CHECK(count_checked(*transaction) == 98);
  CHECK(erase(50s, 10) == kStart.plus(12s));
  CHECK(erase(50s, 1000) == kStart.plus(51s));
  CHECK_FALSE(is_there(*transaction, {"us-east-1", kWrites, std::to_string(50 * 37 % 100)}));
  CHECK(is_there(*transaction, {"us-east-1", kWrites, std::to_string(51 * 37 % 100)}));
  CHECK_FALSE(erase(1000s, 1000).has_value());
  CHECK(count_checked(*transaction) == 0);
}

TEST_CASE("tokens: those of some scopes are erased, in pieces", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  std::uint64_t kept = 0;
  const auto is_meant = [](std::string_view scope) { return scope.size() % 2 == 1; };
  for (const auto& [scope, text] : names()) {
    for (const TokenKind kind : {kWrites, kStatements}) {
      if (scope.empty() && text.front() != 'a') continue;
      put(*transaction, {scope, kind, text});
      if (!is_meant(scope)) ++kept;
    }
  }
  const auto count_max = GENERATE(std::size_t{1}, std::size_t{7}, std::size_t{10'000});
  std::string from;
  int pieces = 0;
  do {
    from = unwrap(erase_tokens(*transaction, is_meant, from, count_max));
    ++pieces;
  } while (!from.empty());
  CHECK((pieces == 1) == (count_max == 10'000));
  CHECK(count_checked(*transaction) == kept);
  unwrap(for_each_token(*transaction, [&](const StoredToken& token, bool) {
    CHECK_FALSE(is_meant(token.name.scope));
  }));
}

TEST_CASE("tokens: what is no key or no token is an error", "[storage]") {
  const auto environment = open_or_throw(in_memory());
  const auto transaction = unwrap(WriteTransaction::begin(*environment));
  const TokenName name{"us-east-1", kWrites, "token"};
  const std::string key(
      TokenKey{name.scope, static_cast<std::uint8_t>(name.kind), name.text}.encode().view());
  put(*transaction, name, kStart, 'f', "");
  const std::string value(*unwrap(transaction->find(Database::Tokens, key)));
  for (std::size_t size = 0; size < value.size(); ++size) {
    unwrap(transaction->put(Database::Tokens, key, std::string_view(value).substr(0, size)));
    CHECK_FALSE(find_token(*transaction, name, kStart));
    CHECK_FALSE(put_token(*transaction, {name, kStart, fingerprint('f'), ""}));
    CHECK_FALSE(erase_tokens(
        *transaction, [](std::string_view) { return true; }, "", 1));
    CHECK_FALSE(for_each_token(*transaction, [](const StoredToken&, bool) {}));
  }
  unwrap(transaction->put(Database::TokenTimes, std::string(7, '\0'), ""));
  CHECK_FALSE(first_token_finished(*transaction).has_value());
  CHECK_FALSE(erase_oldest_tokens(*transaction, Timestamp::max(), 10).has_value());
}

}  // namespace
}  // namespace stator::storage
