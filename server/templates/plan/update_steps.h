// The requests that update a table, in the order that the service allows. Plain values: each step
// stands for one request, and for what to wait for after it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/templates/plan/endpoint_table.h"

namespace stator::templates {

struct Step {
  enum class Wait : std::uint8_t {
    No,
    Active,      // the table and its indexes
    TimeToLive,  // the end of a change of time to live
    Kinesis,     // the end of a change of destinations in Kinesis
  };

  std::string operation;
  std::string body;
  Wait wait = Wait::No;
};

// The service takes one kind of change in an UpdateTable, so each step has one: indexes that go or
// change are deleted, then billing and throughput, limits of indexes, the stream, the class,
// protection, new indexes one by one, warm throughput, encryption, time to live, tags, policy,
// recovery, contributor insights, Kinesis. Each step alone leaves a table whose remaining
// difference is that of the steps after it. REQUIRES: no change needs a replacement.
std::vector<Step> update_steps(const TableShape& wanted, const TableState& there);

// What CreateTable does not do: time to live, recovery, contributor insights and Kinesis.
std::vector<Step> steps_after_create(const TableShape& wanted);

}  // namespace stator::templates
