// RequestList: selects recent requests for a list, and merges equal neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "server/explain/hints/hints.h"
#include "server/explain/requests/recent_requests.h"
#include "server/http/query_text.h"

namespace stator {

// Parameters of GET /_stator/requests. The views are of the target.
struct RequestQuery {
  enum class Show : std::uint8_t { Failures, Hints, All };

  Show show = Show::All;             // Hints: failures, and successes with a hint
  std::string_view access_key = {};  // empty: any
  std::string_view table = {};       // empty: any, or none
  std::size_t last = std::numeric_limits<std::size_t>::max();  // entries
  // A RecentRequest::number; if it is set, the list is that of later requests, oldest first.
  std::optional<std::uint64_t> after = {};
  std::size_t limit = kListLimitMax;  // requests of such a list
  std::string_view operation = {};    // empty: any
  std::string_view status = {};       // "400", "4xx" for a class; empty: any
  std::string_view origin = {};       // origin_name(), or "all"; empty: all but the console's
  std::string text = {};              // part of the id, table, operation, message or body

  // Whether the list has the request, whatever its hints.
  bool is_meant(const RecentRequest& request) const;
};
// Parses "access_key=ci-7&last=20". Undoes the percent-encoding of `text` alone, because no other
// valid value needs one. Ignores unknown parameters. The error
// names the parameter and its valid values.
tl::expected<RequestQuery, std::string> read_request_query(std::string_view query);

// Takes requests from new to old and passes entries on. Neighbours form one entry if operation,
// table and access key are equal, and also either the error with its message or the hints. Each
// success without a hint is an entry of its own.
class RequestList {
 public:
  // The newest request of the entry, and the number of requests in it.
  using Pass = std::function<void(const RecentRequest& request, const Findings& findings,
                                  std::int64_t count)>;
  using Find = std::function<Findings(const RecentRequest& request)>;

  // `query` must outlive this.
  RequestList(const RequestQuery& query, Find find, Pass pass)
      : query_(query), find_(std::move(find)), pass_(std::move(pass)) {}

  // Returns false if the list is full.
  bool add(const RecentRequest& request);
  // Passes the last entry on. Call once, after the last add().
  void finish();

 private:
  const RequestQuery& query_;
  const Find find_;
  const Pass pass_;
  std::unique_ptr<RecentRequest> newest_;  // of the current entry; nullptr if none
  Findings findings_;
  std::int64_t count_ = 0;
  std::size_t passed_ = 0;
};

}  // namespace stator
