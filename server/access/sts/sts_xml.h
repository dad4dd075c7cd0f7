// Texts of STS: parameters of forms in, XML out.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace stator::access {

// The parameters of a form, decoded. Of a repeated name the last value counts.
class StsForm {
 public:
  explicit StsForm(std::string_view body);

  // Empty without it.
  std::string_view text(std::string_view name) const;
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// Elements with text, one after the other.
std::string xml_elements(
    std::initializer_list<std::pair<std::string_view, std::string_view>> elements);

// <NAMEResponse xmlns=…><NAMEResult>`content`</NAMEResult><ResponseMetadata>…
std::string sts_response(std::string_view action, std::string_view content);

// <ErrorResponse xmlns=…>
std::string sts_error_body(std::string_view code, std::string_view message);

}  // namespace stator::access
