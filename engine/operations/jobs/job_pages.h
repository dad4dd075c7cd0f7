// Pages of lists of jobs, the newest first. `Store` is that of the kind of job, such as
// storage::Exports.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/call/call.h"
#include "engine/call/scope.h"
#include "engine/operations/paging/position_token.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/json/json_writer.h"
#include "protocol/shapes/shape.h"

namespace stator {

// To read a description.
inline constexpr std::size_t kStepsPerJob = 16 * 1024;

// The position of the member NextToken, or the one before all.
inline Result<storage::DescriptionPosition> page_start(const JsonNode& body, Call& call) {
  const auto token = string_member(body, "NextToken");
  if (!token) return storage::DescriptionPosition{};
  return read_position_token(*token, call.arena);
}

// Jobs before the position that are not gone and `is_asked_for`: one more than the page has, if
// there is one.
template <class Store, class IsAskedFor>
Result<std::vector<typename Store::Value>> jobs_of_page(const storage::DescriptionPosition& before,
                                                        std::size_t count_max,
                                                        const Snapshot& snapshot, Call& call,
                                                        const IsAskedFor& is_asked_for) {
  std::vector<typename Store::Value> jobs;
  const auto take = [&](typename Store::Value&& job) -> Result<bool> {
    STATOR_CHECK(call.work.go_on(kStepsPerJob));
    if (is_asked_for(job) && !job.is_gone(snapshot.now())) jobs.push_back(std::move(job));
    return jobs.size() <= count_max;
  };
  STATOR_CHECK(
      Store::visit_newest_first(snapshot.transaction(), scope_of(call, call.arena), before, take));
  return jobs;
}

// Writes the response: the list of the page's jobs, and NextToken if there are more. `jobs` is
// what jobs_of_page() found, `token_unit_bytes` that of position_token().
template <class Job, class Write>
void write_job_page(Call& call, std::string_view list_name, const std::vector<Job>& jobs,
                    std::size_t count_max, std::size_t token_unit_bytes, const Write& write) {
  const std::size_t count = std::min(jobs.size(), count_max);
  JsonWriter out(call.reply);
  out.begin_object();
  out.key(list_name);
  out.begin_array();
  for (std::size_t i = 0; i < count; ++i) write(out, jobs[i]);
  out.end_array();
  if (jobs.size() > count) {
    const Job& last = jobs[count - 1];
    const std::string token = position_token({last.id, last.table.name}, token_unit_bytes);
    out.member("NextToken", std::string_view(token));
  }
  out.end_object();
}

}  // namespace stator
