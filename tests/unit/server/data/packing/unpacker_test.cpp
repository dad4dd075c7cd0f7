#include "server/data/packing/unpacker.h"

#include <zstd.h>

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/data/packing/packer.h"

namespace stator::data {
namespace {

// Bytes in pieces of at most `piece`, as a pipe delivers them.
class Pieces final : public ByteSource {
 public:
  Pieces(std::string bytes, std::size_t piece) : bytes_{std::move(bytes)}, piece_{piece} {}

  std::size_t read(char* out, std::size_t size, std::string& /*why*/) override {
    const std::size_t count = std::min({size, piece_, bytes_.size() - taken_});
    bytes_.copy(out, count, taken_);
    taken_ += count;
    return count;
  }

 private:
  const std::string bytes_;
  const std::size_t piece_;
  std::size_t taken_ = 0;
};

std::string packed(Packing packing, std::string_view bytes) {
  std::string out;
  const auto take = [&out](std::string_view some) {
    out += some;
    return true;
  };
  const auto packer = make_packer(packing);
  REQUIRE(packer->add(bytes, take));
  REQUIRE(packer->finish(take));
  return out;
}

struct Outcome {
  std::string bytes;
  std::string why;
};

Outcome unpacked(const std::string& bytes, std::size_t piece, std::optional<Packing> packing = {},
                 std::size_t size = 4096) {
  Unpacker unpacker{std::make_unique<Pieces>(bytes, piece), packing};
  Outcome outcome;
  std::vector<char> block(size);
  for (;;) {
    const std::size_t count = unpacker.read(block.data(), size, outcome.why);
    outcome.bytes.append(block.data(), count);
    if (count == 0 || !outcome.why.empty()) break;
  }
  return outcome;
}

std::string some_text() {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "line " + std::to_string(i * 7919 % 10'007) + "\n";
  return text;
}

}  // namespace

TEST_CASE("unpacker: what a packer packs", "[server]") {
  const auto packing = GENERATE(Packing::None, Packing::Gzip, Packing::Zstd);
  const auto piece = GENERATE(as<std::size_t>{}, 1, 1000, 1 << 20);
  const std::string text = some_text();
  const std::string bytes = packed(packing, text);
  INFO(packing_name(packing) << " in pieces of " << piece);
  for (const auto& known : {std::optional<Packing>{}, std::optional{packing}}) {
    const Outcome outcome = unpacked(bytes, piece, known);
    CHECK(outcome.why.empty());
    CHECK(outcome.bytes == text);
  }
  CHECK(unpacked(packed(packing, ""), piece).bytes.empty());
  CHECK(unpacked(packed(packing, ""), piece).why.empty());
}

TEST_CASE("unpacker: output in small blocks", "[server]") {
  const auto packing = GENERATE(Packing::Gzip, Packing::Zstd);
  const std::string text(100'000, 'x');
  const Outcome outcome = unpacked(packed(packing, text), 1 << 20, {}, 7);
  CHECK(outcome.why.empty());
  CHECK(outcome.bytes == text);
}

TEST_CASE("unpacker: frames in a row, and what follows them", "[server]") {
  const auto packing = GENERATE(Packing::Gzip, Packing::Zstd);
  const auto piece = GENERATE(as<std::size_t>{}, 1, 1 << 20);
  const std::string name(packing_name(packing));
  const std::string bytes = packed(packing, "one\n");
  CHECK(unpacked(bytes + packed(packing, "") + packed(packing, "two\n"), piece).bytes ==
        "one\ntwo\n");
  const std::string tail = "what follows its " + name + " data is no " + name;
  CHECK(unpacked(bytes + "two\n", piece).why == tail);
  CHECK(unpacked(bytes + std::string(512, '\0'), piece).why == tail);
  CHECK(unpacked(bytes + bytes.substr(0, 1), piece).why == tail);
  const Packing other = packing == Packing::Gzip ? Packing::Zstd : Packing::Gzip;
  CHECK(unpacked(bytes + packed(other, "two\n"), piece).why == tail);
}

TEST_CASE("unpacker: every cut is an error", "[server]") {
  const auto packing = GENERATE(Packing::Gzip, Packing::Zstd);
  const std::string bytes = packed(packing, some_text().substr(0, 300));
  const std::string cut = "its " + std::string(packing_name(packing)) + " data are cut short";
  const std::size_t head = packing == Packing::Gzip ? 2 : 4;
  for (std::size_t size = head; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK(unpacked(bytes.substr(0, size), 1 << 20).why == cut);
    CHECK(unpacked(bytes + bytes.substr(0, size), 3).why == cut);
  }
}

TEST_CASE("unpacker: damaged bytes", "[server]") {
  const auto packing = GENERATE(Packing::Gzip, Packing::Zstd);
  std::string bytes = packed(packing, some_text());
  bytes[bytes.size() - 2] ^= 1;  // in the sum at the end
  CHECK(unpacked(bytes, 1000).why.find("data are damaged: ") != std::string::npos);
}

TEST_CASE("unpacker: a packing that was told", "[server]") {
  const std::string text = "one\n";
  CHECK(unpacked(text, 1, Packing::Gzip).why == "it is no gzip");
  CHECK(unpacked(text, 1, Packing::Zstd).why == "it is no zstd");
  CHECK(unpacked("", 1, Packing::Zstd).why == "it is no zstd");
  CHECK(unpacked(packed(Packing::Gzip, text), 1, Packing::Zstd).why == "it is no zstd");
  const std::string bytes = packed(Packing::Gzip, text);
  CHECK(unpacked(bytes, 1, Packing::None).bytes == bytes);
}

TEST_CASE("unpacker: zstd frames to be skipped", "[server]") {
  const std::string skipped("\x50\x2A\x4D\x18\x02\x00\x00\x00xy", 10);
  const std::string bytes = packed(Packing::Zstd, "one\n");
  CHECK(unpacked(skipped + bytes + skipped + bytes, 1).bytes == "one\none\n");
  CHECK(unpacked(bytes + skipped, 1).why.empty());
  CHECK(unpacked(bytes + skipped.substr(0, 9), 1).why == "its zstd data are cut short");
}

TEST_CASE("unpacker: zstd's window is bounded", "[server]") {
  const auto with_window = [](int log) {
    const std::string text(1000, 'x');
    std::string out(ZSTD_compressBound(text.size()) + 100, '\0');
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, log);
    ZSTD_inBuffer from{text.data(), text.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    // In two calls, so that the size is unknown and the frame names its window.
    ZSTD_compressStream2(context, &to, &from, ZSTD_e_flush);
    REQUIRE(ZSTD_compressStream2(context, &to, &from, ZSTD_e_end) == 0);
    ZSTD_freeCCtx(context);
    return out.substr(0, to.pos);
  };
  CHECK(unpacked(with_window(27), 1000).bytes.size() == 1000);
  CHECK(unpacked(with_window(28), 1000).why ==
        "its zstd data are damaged: Frame requires too much memory for decoding");
}

TEST_CASE("packer: equal bytes give equal ones, and a failed write ends it", "[server]") {
  const auto packing = GENERATE(Packing::None, Packing::Gzip, Packing::Zstd);
  CHECK(packed(packing, some_text()) == packed(packing, some_text()));
  const auto packer = make_packer(packing);
  const auto refuse = [](std::string_view) { return false; };
  CHECK_FALSE((packer->add(some_text(), refuse) && packer->finish(refuse)));
}

TEST_CASE("packing: names and endings", "[server]") {
  for (const Packing packing : {Packing::None, Packing::Gzip, Packing::Zstd}) {
    CHECK(find_packing(packing_name(packing)) == packing);
    CHECK(packing_of_name("items.jsonl" + std::string(packing_ending(packing))) == packing);
  }
  CHECK_FALSE(find_packing("GZIP"));
  CHECK(packing_of_name("gz") == Packing::None);
}

}  // namespace stator::data
