#include "server/data/objects/folder_store.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/data/objects/packed_object.h"
#include "server/data/packing/file_digest.h"

namespace {

// Called before and after each folder that a store makes below a bucket.
std::function<void()> at_new_folder;

}  // namespace

// Called instead of the C library's.
extern "C" int mkdirat(int at, const char* name, mode_t mode) {
  if (at_new_folder) at_new_folder();
  const auto code = static_cast<int>(::syscall(SYS_mkdirat, at, name, mode));
  const int error = errno;
  if (at_new_folder) at_new_folder();
  errno = error;
  return code;
}

namespace stator::data {
namespace {

namespace fs = std::filesystem;

// A root with the bucket "bucket", and a folder beside it.
class Root {
 public:
  Root() {
    std::string name = (fs::temp_directory_path() / "stator-objects-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    fs::create_directories(root() / "bucket");
    fs::create_directories(outside());
  }
  ~Root() { fs::remove_all(folder_); }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  fs::path root() const { return folder_ / "root"; }
  fs::path outside() const { return folder_ / "outside"; }
  std::string text_of(const std::string& file) const {
    std::ifstream in{root() / "bucket" / file, std::ios::binary};
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  fs::path folder_;
};

std::vector<std::string> keys_of(ObjectStore& store, std::string_view prefix) {
  std::vector<std::string> keys;
  const auto listed = store.list("bucket", prefix, [&](std::string_view key) {
    keys.emplace_back(key);
    return true;
  });
  REQUIRE(listed);
  return keys;
}

}  // namespace

TEST_CASE("folder store: objects are files, whole or not there", "[server]") {
  const Root root;
  const auto store = make_folder_store(root.root());
  REQUIRE(store->check_bucket("bucket"));
  REQUIRE(store->put("bucket", "a/b/c.json", "one"));
  CHECK(root.text_of("a/b/c.json") == "one");
  REQUIRE(store->put("bucket", "a/b/c.json", "two"));
  CHECK(root.text_of("a/b/c.json") == "two");
  {
    const auto unfinished = store->create("bucket", "a/b/d.json");
    REQUIRE(unfinished);
    REQUIRE((*unfinished)->append("half"));
    CHECK(keys_of(*store, "") == std::vector<std::string>{"a/b/c.json"});
  }
  REQUIRE(store->put("bucket", "a/b2", ""));
  CHECK(keys_of(*store, "a/b") == std::vector<std::string>{"a/b/c.json", "a/b2"});
  CHECK(keys_of(*store, "a/b/") == std::vector<std::string>{"a/b/c.json"});
  const auto reader = store->open("bucket", "a/b/c.json");
  REQUIRE(reader);
  CHECK((*reader)->next().value() == "two");
  CHECK((*reader)->next().value().empty());
}

TEST_CASE("folder store: a bucket that is removed while an object is written", "[server]") {
  const Root root;
  const auto store = make_folder_store(root.root());
  const auto writer = store->create("bucket", "a/b.json");
  REQUIRE(writer);
  REQUIRE((*writer)->append("text"));
  fs::remove_all(root.root() / "bucket");
  const auto finished = (*writer)->finish();
  REQUIRE_FALSE(finished);
  CHECK(finished.error().code == "S3NoSuchBucket");
  CHECK_FALSE(fs::exists(root.root() / "bucket"));
}

TEST_CASE("folder store: a bucket that is removed while an object's folders are made", "[server]") {
  constexpr int kMomentsCount = 4;  // before and after each of two folders
  for (int moment = 0; moment < kMomentsCount; ++moment) {
    CAPTURE(moment);
    const Root root;
    const auto store = make_folder_store(root.root());
    int passed = 0;
    at_new_folder = [&] {
      if (passed++ == moment) fs::remove_all(root.root() / "bucket");
    };
    const auto put = store->put("bucket", "a/b/c.json", "text");
    at_new_folder = nullptr;
    REQUIRE_FALSE(put);
    CHECK(put.error().code == "S3NoSuchBucket");
    CHECK_FALSE(fs::exists(root.root() / "bucket"));
  }
}

TEST_CASE("folder store: nothing outside of the root is touched", "[server]") {
  const Root root;
  const auto store = make_folder_store(root.root());
  fs::create_directory_symlink(root.outside(), root.root() / "bucket" / "link");
  fs::create_directory_symlink(root.outside(), root.root() / "linked");
  std::ofstream{root.outside() / "file"} << "secret";
  fs::create_symlink(root.outside() / "file", root.root() / "bucket" / "file");
  for (const std::string& key :
       std::vector<std::string>{"../outside/x", "a/../../outside/x", "..", ".", "a/./b", "a//b",
                                "/a", "a/", "", "link/x", std::string("a\0b", 3)}) {
    CAPTURE(key);
    const auto put = store->put("bucket", key, "x");
    REQUIRE_FALSE(put);
    CHECK(put.error().code == "S3AccessDenied");
  }
  for (const char* bucket : {"..", ".", "", "linked", "../outside"}) {
    CAPTURE(bucket);
    CHECK_FALSE(store->put(bucket, "x", "x"));
  }
  CHECK_FALSE(store->open("bucket", "file"));
  // A link where an object goes is replaced, not followed.
  REQUIRE(store->put("bucket", "file", "mine"));
  std::ifstream in{root.outside() / "file"};
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == "secret");
  CHECK(std::distance(fs::directory_iterator{root.outside()}, {}) == 1);
  CHECK_FALSE(fs::exists(root.root() / "bucket" / "a"));
}

TEST_CASE("folder store: what fails says so as S3 does", "[server]") {
  const Root root;
  const auto store = make_folder_store(root.root());
  const auto missing = store->check_bucket("other");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == "S3NoSuchBucket");
  CHECK(missing.error().message.starts_with(
      "The specified bucket does not exist (Service: Amazon S3; Status Code: 404; Error Code: "
      "NoSuchBucket; Request ID: "));
  CHECK(make_missing_store()->check_bucket("bucket").error().message.find("--s3-root") !=
        std::string::npos);
  if (::geteuid() == 0) return;  // may write anywhere
  fs::permissions(root.root() / "bucket", fs::perms::owner_read | fs::perms::owner_exec);
  const auto denied = store->put("bucket", "x", "x");
  REQUIRE_FALSE(denied);
  CHECK(denied.error().code == "S3AccessDenied");
  fs::permissions(root.root() / "bucket", fs::perms::owner_all);
}

TEST_CASE("packed object: gzip without a time, and its sums", "[server]") {
  const Root root;
  const auto store = make_folder_store(root.root());
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\n";
  std::vector<PackedObject::Sums> sums;
  for (const char* key : {"one", "two"}) {
    auto packed = PackedObject::create(*store, "bucket", key);
    REQUIRE(packed);
    REQUIRE(packed->append(text.substr(0, 1000)));
    REQUIRE(packed->append(text.substr(1000)));
    auto finished = packed->finish();
    REQUIRE(finished);
    sums.push_back(*finished);
  }
  const std::string bytes = root.text_of("one");
  CHECK(bytes == root.text_of("two"));
  CHECK(sums[0].md5 == md5_of_text(bytes));
  CHECK(sums[0].etag == sums[1].etag);
  CHECK(sums[0].etag.size() == 32);
  CHECK(bytes.substr(4, 4) == std::string(4, '\0'));
  gzFile file = gzopen((root.root() / "bucket" / "one").c_str(), "rb");
  std::string read(text.size() + 1, '\0');
  CHECK(gzread(file, read.data(), static_cast<unsigned>(read.size())) ==
        static_cast<int>(text.size()));
  CHECK(gzclose(file) == Z_OK);
  read.resize(text.size());
  CHECK(read == text);
}

}  // namespace stator::data
