// The verbs of the admin path, for the table in verbs.cpp. What each takes and answers stands in
// docs/admin-openapi.yaml.
#pragma once

#include "server/admin/admin.h"

namespace stator {

// clock_verbs.cpp
AdminAnswer show_clock(AdminRequest& request);
AdminAnswer move_clock(AdminRequest& request);

// reset_verb.cpp
AdminAnswer remove_tables(AdminRequest& request);

// mark_verbs.cpp
AdminAnswer show_marks(AdminRequest& request);
AdminAnswer set_mark(AdminRequest& request);
AdminAnswer go_back_to_mark(AdminRequest& request);
AdminAnswer forget_mark(AdminRequest& request);

// metrics_verb.cpp
AdminAnswer show_metrics(AdminRequest& request);

// requests_verbs.cpp
AdminAnswer show_requests(AdminRequest& request);
AdminAnswer show_request(AdminRequest& request);

// ttl_verb.cpp
AdminAnswer sweep_expired_items(AdminRequest& request);

// capacity_verbs.cpp
AdminAnswer show_capacity(AdminRequest& request);
AdminAnswer show_table_capacity(AdminRequest& request);
AdminAnswer set_capacity(AdminRequest& request);

}  // namespace stator
