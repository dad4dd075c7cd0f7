// The verbs of the admin path, for the table in verbs.cpp. docs/admin-openapi.yaml describes their
// requests and responses.
#pragma once

#include <span>

#include "server/dispatch/admin.h"

namespace stator {

std::span<const AdminVerb> admin_verbs();

// clock_verbs.cpp
AdminResponse show_clock(AdminRequest& request);
AdminResponse move_clock(AdminRequest& request);

// history_verb.cpp
AdminResponse show_history(AdminRequest& request);
AdminResponse keep_history(AdminRequest& request);

// due_verb.cpp
AdminResponse show_due(AdminRequest& request);

// reset_verb.cpp
AdminResponse remove_tables(AdminRequest& request);

// mark_verbs.cpp
AdminResponse show_marks(AdminRequest& request);
AdminResponse show_mark_changes(AdminRequest& request);
AdminResponse set_mark(AdminRequest& request);
AdminResponse go_back_to_mark(AdminRequest& request);
AdminResponse forget_mark(AdminRequest& request);

// metrics_verb.cpp
AdminResponse show_metrics(AdminRequest& request);

// requests_verbs.cpp
AdminResponse show_requests(AdminRequest& request);
AdminResponse show_request(AdminRequest& request);

// ttl_verb.cpp
AdminResponse show_expiry_queue(AdminRequest& request);
AdminResponse sweep_expired_items(AdminRequest& request);

// info_verb.cpp
AdminResponse show_info(AdminRequest& request);

// settings_verb.cpp
AdminResponse change_settings(AdminRequest& request);

// tables_verb.cpp
AdminResponse show_tables(AdminRequest& request);

// schema_verb.cpp
AdminResponse show_schema(AdminRequest& request);

// transactions_verb.cpp
AdminResponse show_transactions(AdminRequest& request);

// streams_verb.cpp
AdminResponse show_streams(AdminRequest& request);

// capacity_verbs.cpp
AdminResponse show_capacity(AdminRequest& request);
AdminResponse show_table_capacity(AdminRequest& request);
AdminResponse set_capacity(AdminRequest& request);

// capacity_series_verb.cpp
AdminResponse show_capacity_series(AdminRequest& request);

// fault_verbs.cpp
AdminResponse show_faults(AdminRequest& request);
AdminResponse show_fault(AdminRequest& request);
AdminResponse add_faults(AdminRequest& request);
AdminResponse add_preset(AdminRequest& request);
AdminResponse remove_fault(AdminRequest& request);
AdminResponse clear_faults(AdminRequest& request);

// access_verbs.cpp
AdminResponse reload_access(AdminRequest& request);
AdminResponse show_access_report(AdminRequest& request);
AdminResponse show_access_denials(AdminRequest& request);
AdminResponse reset_access_report(AdminRequest& request);
AdminResponse simulate_access(AdminRequest& request);

// verbs.cpp: /_stator/mcp, the Model Context Protocol over HTTP
AdminResponse serve_agent(AdminRequest& request);

// trigger_verbs.cpp
AdminResponse show_triggers(AdminRequest& request);
AdminResponse show_invocations(AdminRequest& request);
AdminResponse show_filtered_records(AdminRequest& request);
AdminResponse show_trigger_failures(AdminRequest& request);
AdminResponse settle_triggers(AdminRequest& request);
AdminResponse pause_triggers(AdminRequest& request);
AdminResponse resume_triggers(AdminRequest& request);
AdminResponse step_triggers(AdminRequest& request);
AdminResponse explain_filter(AdminRequest& request);

}  // namespace stator
