// /metrics: all metrics, in the format that Prometheus reads.
#include <utility>

#include "server/admin/verbs.h"
#include "server/log/log.h"
#include "server/metrics/metrics.h"

namespace stator {

AdminResponse show_metrics(AdminRequest& request) {
  auto page = request.parts.metrics.page(request.stop_condition);
  if (!page) {
    if (request.stop_condition.should_stop())
      return admin_error(503,
                         "the metrics were not ready while this request could wait: ask again");
    log::error("cannot report the metrics: " + page.error().message());
    return admin_error(500, "the data cannot be read, see the log");
  }
  return {.body = *std::move(page), .content_type = MetricPage::kMediaType};
}

}  // namespace stator
