// The response to a Query or a Scan, written while its page is read.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/request_members.h"
#include "engine/pages/page.h"
#include "engine/pages/read_plan.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/json/json_writer.h"

namespace stator {

class PageAnswer final : public RecordSink {
 public:
  // Begins the response in call.reply. Both arguments must outlive this object.
  PageAnswer(const ReadPlan& plan, Call& call);

  std::optional<std::size_t> take(std::string_view record, std::string_view sort_key,
                                  Arena& scratch) override;

  // Ends the response and adds the units to the call.
  void finish(const Page& page, std::string_view table_name, ReturnConsumedCapacity wanted);

 private:
  Call& call_;
  JsonWriter out_;
  const expr::Projection* const projection_;
  const bool has_items_;
};

}  // namespace stator
