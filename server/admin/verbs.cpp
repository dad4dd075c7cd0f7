#include "server/admin/verbs.h"

namespace stator {

namespace {

constexpr AdminVerb kVerbs[] = {
    {"/_stator/clock", Method::Get, AdminPlace::AtOnce, show_clock},
    {"/_stator/clock", Method::Post, AdminPlace::Alone, move_clock},
    {"/_stator/due", Method::Get, AdminPlace::Reading, show_due},
    {"/_stator/reset", Method::Post, AdminPlace::Alone, remove_tables},
    {"/_stator/marks", Method::Get, AdminPlace::Reading, show_marks},
    {"/_stator/marks/{name}/changes", Method::Get, AdminPlace::Reading, show_mark_changes},
    {"/_stator/marks/{name}", Method::Post, AdminPlace::Alone, set_mark},
    {"/_stator/marks/{name}/rollback", Method::Post, AdminPlace::Alone, go_back_to_mark},
    {"/_stator/marks/{name}/forget", Method::Post, AdminPlace::Alone, forget_mark},
    {"/_stator/info", Method::Get, AdminPlace::Reading, show_info},
    {"/_stator/settings", Method::Post, AdminPlace::Alone, change_settings},
    {"/_stator/tables", Method::Get, AdminPlace::Reading, show_tables},
    {"/_stator/tables/{name}/schema", Method::Get, AdminPlace::Reading, show_schema},
    {"/_stator/requests", Method::Get, AdminPlace::Reading, show_requests},
    {"/_stator/requests/{name}", Method::Get, AdminPlace::Reading, show_request},
    {"/metrics", Method::Get, AdminPlace::Reading, show_metrics},
    {"/_stator/transactions", Method::Get, AdminPlace::Reading, show_transactions},
    {"/_stator/streams/{name}", Method::Get, AdminPlace::Reading, show_streams},
    {"/_stator/history", Method::Get, AdminPlace::Reading, show_history},
    {"/_stator/history", Method::Post, AdminPlace::Alone, keep_history},
    {"/_stator/capacity", Method::Get, AdminPlace::Reading, show_capacity},
    {"/_stator/capacity/{name}", Method::Get, AdminPlace::Reading, show_table_capacity},
    {"/_stator/capacity/{name}/series", Method::Get, AdminPlace::Reading, show_capacity_series},
    {"/_stator/capacity", Method::Post, AdminPlace::Alone, set_capacity},
    {"/_stator/faults", Method::Get, AdminPlace::AtOnce, show_faults},
    {"/_stator/faults", Method::Post, AdminPlace::AtOnce, add_faults},
    {"/_stator/faults/clear", Method::Post, AdminPlace::AtOnce, clear_faults},
    {"/_stator/faults/presets/{name}", Method::Post, AdminPlace::AtOnce, add_preset},
    {"/_stator/faults/{name}", Method::Get, AdminPlace::AtOnce, show_fault},
    {"/_stator/faults/{name}/remove", Method::Post, AdminPlace::AtOnce, remove_fault},
    {"/_stator/access/reload", Method::Post, AdminPlace::Alone, reload_access},
    {"/_stator/access/report", Method::Get, AdminPlace::Reading, show_access_report},
    {"/_stator/access/denials", Method::Get, AdminPlace::Reading, show_access_denials},
    {"/_stator/access/reset", Method::Post, AdminPlace::AtOnce, reset_access_report},
    {"/_stator/access/simulate", Method::Post, AdminPlace::Reading, simulate_access},
    {"/_stator/mcp", Method::Post, AdminPlace::Agent, serve_agent},
    {"/_stator/ttl/{name}", Method::Get, AdminPlace::Reading, show_expiry_queue},
    {"/_stator/ttl/sweep", Method::Post, AdminPlace::Alone, sweep_expired_items},
    {"/_stator/triggers", Method::Get, AdminPlace::Reading, show_triggers},
    {"/_stator/triggers/invocations", Method::Get, AdminPlace::Reading, show_invocations},
    {"/_stator/triggers/filtered", Method::Get, AdminPlace::Reading, show_filtered_records},
    {"/_stator/triggers/failures", Method::Get, AdminPlace::Reading, show_trigger_failures},
    {"/_stator/triggers/settle", Method::Post, AdminPlace::Alone, settle_triggers},
    {"/_stator/triggers/pause", Method::Post, AdminPlace::Alone, pause_triggers},
    {"/_stator/triggers/resume", Method::Post, AdminPlace::AtOnce, resume_triggers},
    {"/_stator/triggers/step", Method::Post, AdminPlace::Alone, step_triggers},
    {"/_stator/triggers/explain", Method::Post, AdminPlace::AtOnce, explain_filter},
};

}  // namespace

std::span<const AdminVerb> admin_verbs() { return kVerbs; }

AdminResponse serve_agent(AdminRequest& request) {
  if (request.parts.agents == nullptr) return admin_error(404, "this server serves no agents");
  return request.parts.agents->answer(*request.http);
}

}  // namespace stator
