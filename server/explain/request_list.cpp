#include "server/explain/request_list.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/call/scope.h"
#include "server/explain/explanation.h"
#include "server/http/query_text.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;
using Show = RequestQuery::Show;

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

bool read_show(std::string_view text, Show& show) {
  if (text == "failures") return show = Show::Failures, true;
  if (text == "hints") return show = Show::Hints, true;
  return show = Show::All, text == "all";
}

// "404" or "4xx".
bool is_status(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() != 3 || text[0] < '2' || text[0] > '5') return false;
  return text.substr(1) == "xx" || (is_digit(text[1]) && is_digit(text[2]));
}

bool has_status(const RecentRequest& request, std::string_view wanted) {
  const std::string status = std::to_string(request.status);
  return wanted.ends_with("xx") ? status[0] == wanted[0] : status == wanted;
}

// Whether one of the texts that a list or a request shows contains `text`.
bool contains(const RecentRequest& request, std::string_view text) {
  constexpr Part kShown[] = {Part::Id, Part::Operation, Part::Table, Part::Message, Part::Asked};
  return std::any_of(std::begin(kShown), std::end(kShown), [&](Part part) {
    return request.text(part).find(text) != std::string_view::npos;
  });
}

// Returns what is invalid; empty if nothing is.
std::string read_parameter(std::string_view name, std::string_view value, RequestQuery& query) {
  if (name == "access_key") query.access_key = value;
  if (name == "table") query.table = value;
  if (name == "show" && !read_show(value, query.show)) return "show is failures, hints or all";
  if (name == "last" && (!read_number(value, query.last) || query.last == 0))
    return "last is a number from 1 on";
  if (name == "after" && !read_number(value, query.after.emplace()))
    return "after is the cursor of an earlier answer";
  if (name == "limit" && !read_list_limit(value, query.limit)) return std::string(kListLimitText);
  if (name == "operation") query.operation = value;
  if (name == "status") query.status = value;
  if (name == "status" && !is_status(value)) return "status is one such as 400, or a class: 4xx";
  if (name == "origin") query.origin = value;
  if (name == "origin" && value != "client" && value != "console" && value != "mcp" &&
      value != "all")
    return "origin is client, console, mcp or all";
  if (name == "text") query.text = percent_decoded(value);
  return {};
}

bool is_of_table(const RecentRequest& request, std::string_view table) {
  const std::string_view named = request.text(Part::Table);
  return named == table || table_name_of(named) == table_name_of(table);
}

bool is_alike(const RecentRequest& one, const RecentRequest& other) {
  constexpr Part kSame[] = {Part::Operation, Part::Table, Part::AccessKey, Part::Error,
                            Part::Message};
  return one.status == other.status &&
         std::all_of(std::begin(kSame), std::end(kSame),
                     [&](Part part) { return one.text(part) == other.text(part); });
}

}  // namespace

tl::expected<RequestQuery, std::string> read_request_query(std::string_view query) {
  RequestQuery read;
  std::string why;
  for_each_parameter(query, [&](std::string_view name, std::string_view value) {
    why = read_parameter(name, value, read);
    return why.empty();
  });
  if (!why.empty()) return tl::unexpected(std::move(why));
  return read;
}

bool RequestQuery::is_meant(const RecentRequest& request) const {
  if (show == Show::Failures && !request.has_failed()) return false;
  if (origin.empty() && request.is_of_console) return false;
  if (!origin.empty() && origin != "all" && origin_name(request) != origin) return false;
  if (!access_key.empty() && request.text(Part::AccessKey) != access_key) return false;
  if (!operation.empty() && request.text(Part::Operation) != operation) return false;
  if (!status.empty() && !has_status(request, status)) return false;
  if (!text.empty() && !contains(request, text)) return false;
  return table.empty() || is_of_table(request, table);
}

bool RequestList::add(const RecentRequest& request) {
  if (!query_.is_meant(request)) return true;
  const bool is_alike_newest = newest_ != nullptr && is_alike(*newest_, request);
  if (is_alike_newest && request.has_failed()) return ++count_, true;
  Findings findings = find_(request);
  if (!request.has_failed() && findings.hints.empty() && query_.show == Show::Hints) return true;
  if (is_alike_newest && !findings.hints.empty() && findings.hints == findings_.hints)
    return ++count_, true;
  finish();
  if (passed_ == query_.last) return false;
  newest_ = std::make_unique<RecentRequest>(request);
  findings_ = std::move(findings);
  count_ = 1;
  return true;
}

void RequestList::finish() {
  if (newest_ == nullptr) return;
  pass_(*newest_, findings_, count_);
  newest_ = nullptr;
  ++passed_;
}

}  // namespace stator
