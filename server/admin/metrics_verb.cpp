// /metrics: what there is to measure, for a Prometheus that scrapes.
#include <utility>

#include "server/admin/verbs.h"
#include "server/log.h"
#include "server/metrics/metrics.h"

namespace stator {

AdminAnswer show_metrics(AdminRequest& request) {
  auto page = request.parts.metrics.page(request.audience);
  if (!page) {
    if (!request.audience.is_waiting()) return admin_error(503, "nobody waited for the metrics");
    log::error("cannot tell the metrics: " + page.error().message());
    return admin_error(500, "the data cannot be read, see the log");
  }
  return {.body = *std::move(page), .content_type = MetricPage::kMediaType};
}

}  // namespace stator
