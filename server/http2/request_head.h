// RequestHead: the header fields of a request of HTTP/2, as the head that the parser of requests
// reads. So one parser decides about all requests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stator::http2 {

class RequestHead {
 public:
  // Returns false if the request is malformed, or too long for the parser to say so. REQUIRES:
  // names and values have only the characters that HTTP/2 allows.
  bool add(std::string_view name, std::string_view value);

  // The head, ready for the parser; empty if it is malformed. `has_body`: data follow.
  std::string text(bool has_body) const;

  bool is_of_head_request() const { return method_ == "HEAD"; }
  // Whether text(true) announces pieces with their sizes, because no length is known.
  bool is_in_chunks() const { return !has_length_; }

 private:
  std::string method_;
  std::string path_;
  std::string host_;
  std::string lines_;
  bool has_length_ = false;
};

}  // namespace stator::http2
