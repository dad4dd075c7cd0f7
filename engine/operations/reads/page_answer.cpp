#include "engine/operations/reads/page_answer.h"

#include <cstddef>

#include "engine/operations/answer_members.h"
#include "engine/operations/reads/start_key.h"
#include "engine/storage/records/item_codec.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

// The response of a full page is usually smaller.
constexpr std::size_t kWholePageBytes = 3 * limits::kPageBytesMax / 2;

}  // namespace

PageAnswer::PageAnswer(const ReadPlan& plan, Call& call)
    : call_(call),
      out_(call.reply),
      projection_(plan.projection),
      has_items_(plan.select != Select::Count) {
  out_.begin_object();
  if (!has_items_) return;
  out_.key("Items");
  out_.begin_array();
}

std::optional<std::size_t> PageAnswer::take(std::string_view record, std::string_view sort_key,
                                            Arena& scratch) {
  out_.before_value();
  make_room_for_page(call_.reply, kWholePageBytes);
  std::optional<std::size_t> packed_bytes;
  if (projection_ == nullptr) {
    packed_bytes = storage::EncodedItem(record).append_json_of_page(call_.reply, sort_key);
  } else {
    append_projected_json(call_.reply, record, projection_, scratch);
  }
  call_.charge_response();
  return packed_bytes;
}

void PageAnswer::finish(const Page& page, std::string_view table_name,
                        ReturnConsumedCapacity wanted) {
  if (has_items_) out_.end_array();
  out_.member("Count", page.count);
  out_.member("ScannedCount", page.scanned_count);
  if (!page.last.empty()) write_last_evaluated_key(out_, page.target, page.last, call_.arena);
  record_units(call_, table_name, page.charges);
  write_consumed_capacity(out_, wanted, table_name, page.charges);
  out_.end_object();
}

}  // namespace stator
