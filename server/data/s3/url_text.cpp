#include "server/data/s3/url_text.h"

#include "server/http/query_text.h"

namespace stator::data {

std::string encode_url(std::string_view text) { return percent_encoded(text); }

std::string encode_url_path(std::string_view key) { return percent_encoded(key, "/"); }

std::string decode_url(std::string_view text) { return form_decoded(text); }

}  // namespace stator::data
