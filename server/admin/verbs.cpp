#include "server/admin/verbs.h"

namespace stator {

namespace {

constexpr AdminVerb kVerbs[] = {
    {"/_stator/clock", Method::Get, /*is_long=*/false, show_clock},
    {"/_stator/clock", Method::Post, /*is_long=*/true, move_clock},
    {"/_stator/reset", Method::Post, /*is_long=*/true, remove_tables},
    {"/_stator/marks", Method::Get, /*is_long=*/true, show_marks},
    {"/_stator/marks/{name}", Method::Post, /*is_long=*/true, set_mark},
    {"/_stator/marks/{name}/rollback", Method::Post, /*is_long=*/true, go_back_to_mark},
    {"/_stator/marks/{name}/forget", Method::Post, /*is_long=*/true, forget_mark},
    {"/_stator/requests", Method::Get, /*is_long=*/true, show_requests},
    {"/_stator/requests/{name}", Method::Get, /*is_long=*/true, show_request},
    {"/metrics", Method::Get, /*is_long=*/true, show_metrics},
    {"/_stator/capacity", Method::Get, /*is_long=*/true, show_capacity},
    {"/_stator/capacity/{name}", Method::Get, /*is_long=*/true, show_table_capacity},
    {"/_stator/capacity", Method::Post, /*is_long=*/true, set_capacity},
    {"/_stator/ttl/sweep", Method::Post, /*is_long=*/true, sweep_expired_items},
};

}  // namespace

std::span<const AdminVerb> admin_verbs() { return kVerbs; }

}  // namespace stator
