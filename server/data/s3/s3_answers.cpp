#include "server/data/s3/s3_answers.h"

#include <expat.h>

#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "server/data/s3/url_text.h"

namespace stator::data {

namespace {

constexpr std::size_t kDepthMax = 16;
constexpr std::size_t kValueBytesMax = 16384;  // a key of 1,024 bytes, encoded, has 3,072
// Of a refusal's texts, which DescribeExport shows and the log has on a line.
constexpr std::size_t kCodeCharsMax = 64;
constexpr std::size_t kTextBytesMax = 1000;

class Reading {
 public:
  using Visit = std::function<void(std::string_view path, std::string value)>;

  explicit Reading(const Visit& visit) : visit_{visit}, parser_{XML_ParserCreate(nullptr)} {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), begin, end);
    XML_SetCharacterDataHandler(parser_.get(), add_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), refuse_doctype);
  }

  bool run(std::string_view text) {
    if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
    return XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()), XML_TRUE) ==
           XML_STATUS_OK;
  }

 private:
  struct Free {
    void operator()(XML_Parser parser) const noexcept { XML_ParserFree(parser); }
  };

  void stop() { XML_StopParser(parser_.get(), XML_FALSE); }

  // Expat calls from C, through which no exception may pass.
  template <class Step>
  static void guard(void* data, const Step& step) noexcept {
    auto& self = *static_cast<Reading*>(data);
    try {
      step(self);
    } catch (const std::exception&) {
      self.stop();
    }
  }

  static void begin(void* data, const char* name, const char** /*attributes*/) noexcept {
    guard(data, [name](Reading& self) {
      if (self.path_ends_.size() == kDepthMax) return self.stop();
      self.path_ends_.push_back(self.path_.size());
      if (!self.path_.empty()) self.path_ += '/';
      self.path_ += name;
      if (self.path_.size() > kValueBytesMax) self.stop();
      self.value_.clear();
      self.has_elements_ = false;
    });
  }

  static void end(void* data, const char* /*name*/) noexcept {
    guard(data, [](Reading& self) {
      if (!self.has_elements_) self.visit_(self.path_, std::move(self.value_));
      self.value_.clear();
      self.path_.resize(self.path_ends_.back());
      self.path_ends_.pop_back();
      self.has_elements_ = true;
    });
  }

  static void add_text(void* data, const char* text, int size) noexcept {
    guard(data, [text, size](Reading& self) {
      self.value_.append(text, static_cast<std::size_t>(size));
      if (self.value_.size() > kValueBytesMax) self.stop();
    });
  }

  // Without it there are no entities but the five.
  static void refuse_doctype(void* data, const char* /*name*/, const char* /*system_id*/,
                             const char* /*public_id*/, int /*has_internal_subset*/) noexcept {
    guard(data, [](Reading& self) { self.stop(); });
  }

  const Visit& visit_;
  std::unique_ptr<XML_ParserStruct, Free> parser_;
  std::string path_;
  std::vector<std::size_t> path_ends_;  // of the elements around this one
  std::string value_;
  bool has_elements_ = false;
};

// Cut before a character that does not fit; line breaks and controls become blanks.
std::string one_line(std::string text) {
  if (text.size() > kTextBytesMax) {
    std::size_t size = kTextBytesMax;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
    text.resize(size);
  }
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return text;
}

bool is_code(std::string_view text) {
  for (const char c : text) {
    const bool is_fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (!is_fine) return false;
  }
  return !text.empty() && text.size() <= kCodeCharsMax;
}

// The one value at a path.
std::optional<std::string> value_at(std::string_view text, std::string_view wanted) {
  std::optional<std::string> found;
  const bool is_whole = read_xml(text, [&](std::string_view path, std::string value) {
    if (path == wanted) found = std::move(value);
  });
  if (!is_whole || (found && found->empty())) found.reset();
  return found;
}

}  // namespace

bool read_xml(std::string_view text,
              const std::function<void(std::string_view path, std::string value)>& visit) {
  return Reading{visit}.run(text);
}

std::optional<S3Refusal> read_refusal(std::string_view text, unsigned status) {
  S3Refusal refusal;
  refusal.status = status;
  const bool is_whole = read_xml(text, [&](std::string_view path, std::string value) {
    if (path == "Error/Code") {
      refusal.code = std::move(value);
    } else if (path == "Error/Message") {
      refusal.text = one_line(std::move(value));
    } else if (path == "Error/RequestId") {
      refusal.request_id = one_line(std::move(value));
    } else if (path == "Error/HostId") {
      refusal.extended_request_id = one_line(std::move(value));
    }
  });
  if (!is_whole || !is_code(refusal.code)) return {};
  if (refusal.text.empty()) refusal.text = refusal.code;
  return refusal;
}

std::optional<std::string> read_upload_id(std::string_view text) {
  return value_at(text, "InitiateMultipartUploadResult/UploadId");
}

std::optional<ListedKeys> read_listed_keys(std::string_view text) {
  ListedKeys listed;
  bool is_listing = false;
  bool is_truncated = false;
  bool is_encoded = false;
  const bool is_whole = read_xml(text, [&](std::string_view path, std::string value) {
    is_listing = is_listing || path.starts_with("ListBucketResult");
    if (path == "ListBucketResult/Contents/Key") {
      listed.keys.push_back(std::move(value));
    } else if (path == "ListBucketResult/IsTruncated") {
      is_truncated = value == "true";
    } else if (path == "ListBucketResult/NextContinuationToken") {
      listed.next_token = std::move(value);
    } else if (path == "ListBucketResult/EncodingType") {
      is_encoded = value == "url";
    }
  });
  if (!is_whole || !is_listing || (is_truncated && listed.next_token.empty())) return {};
  if (!is_truncated) listed.next_token.clear();
  if (is_encoded) {
    for (std::string& key : listed.keys) key = decode_url(key);
  }
  return listed;
}

std::optional<std::string> read_completed(std::string_view text) {
  auto etag = value_at(text, "CompleteMultipartUploadResult/ETag");
  if (etag) etag = unquoted(*etag);
  return etag;
}

std::string unquoted(std::string_view etag) {
  const bool is_quoted = etag.size() >= 2 && etag.starts_with('"') && etag.ends_with('"');
  return std::string(is_quoted ? etag.substr(1, etag.size() - 2) : etag);
}

}  // namespace stator::data
