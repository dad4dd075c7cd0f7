#include "server/access/sts/sts_xml.h"

#include "protocol/text/xml_text.h"
#include "server/access/principals/sessions.h"
#include "server/http/query_text.h"

namespace stator::access {

namespace {

constexpr std::string_view kNamespace = " xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">";
constexpr std::size_t kParametersMax = 1'000;

std::string request_id() {
  std::string id("<RequestId>");
  return id.append(random_key().first).append("</RequestId>");
}

}  // namespace

StsForm::StsForm(std::string_view body) {
  for_each_parameter(body, [this](std::string_view name, std::string_view value) {
    values_.insert_or_assign(form_decoded(name), form_decoded(value));
    return values_.size() < kParametersMax;
  });
}

std::string_view StsForm::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string_view() : std::string_view(found->second);
}

std::string xml_elements(
    std::initializer_list<std::pair<std::string_view, std::string_view>> elements) {
  std::string out;
  for (const auto& [name, text] : elements) {
    out.append("<").append(name).append(">").append(xml_text(text));
    out.append("</").append(name).append(">");
  }
  return out;
}

std::string sts_response(std::string_view action, std::string_view content) {
  std::string out("<");
  out.append(action).append("Response").append(kNamespace);
  out.append("<").append(action).append("Result>").append(content);
  out.append("</").append(action).append("Result><ResponseMetadata>").append(request_id());
  return out.append("</ResponseMetadata></").append(action).append("Response>\n");
}

std::string sts_error_body(std::string_view code, std::string_view message) {
  std::string out("<ErrorResponse");
  out.append(kNamespace).append("<Error>");
  out.append(xml_elements({{"Type", "Sender"}, {"Code", code}, {"Message", message}}));
  return out.append("</Error>").append(request_id()).append("</ErrorResponse>\n");
}

}  // namespace stator::access
