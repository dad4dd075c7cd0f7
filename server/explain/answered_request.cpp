#include "server/explain/answered_request.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/capacity/throttling_reason.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

// "TableReadProvisionedThroughputExceeded, IndexWriteKeyRangeThroughputExceeded", each once. Room
// for all sixteen of them, because this is done for each request that is observed.
class LimitNames {
 public:
  explicit LimitNames(const Charging& charging) {
    for (const RefusedEvent& event : charging.refused()) {
      for (const capacity::Refusal& refusal : event.by) add(to_text(refusal.reason));
    }
  }
  std::string_view text() const { return {bytes_.data(), size_}; }

 private:
  void add(std::string_view name) {
    constexpr std::string_view kBetween = ", ";
    if (text().find(name) != std::string_view::npos) return;
    if (size_ + kBetween.size() + name.size() > bytes_.size()) return;
    if (size_ > 0) append(kBetween);
    append(name);
  }
  void append(std::string_view part) {
    std::copy(part.begin(), part.end(), bytes_.begin() + size_);
    size_ += part.size();
  }

  std::array<char, 1024> bytes_;  // of which only the first are read
  std::size_t size_ = 0;
};

}  // namespace

void keep(const AnsweredRequest& answered, RecentRequest& kept) {
  const auto& [call, error, id, operation, asked, asked_bytes, now, took] = answered;
  kept.time = now;
  kept.took = std::chrono::duration_cast<std::chrono::microseconds>(took);
  kept.units_milli = call.units_milli;
  kept.status = error != nullptr ? error_info(error->code()).http_status : std::uint16_t{200};
  kept.walked = call.walked;
  kept.walked.index_name = {};
  kept.undone = error == nullptr ? call.undone : LeftUndone{};
  kept.undone.first_error = {};
  kept.set(Part::Id, id);
  kept.set(Part::Operation, operation);
  kept.set(Part::Table, call.table_name);
  kept.set(Part::Region, call.caller.region);
  kept.set(Part::AccessKey, call.caller.access_key);
  kept.set(Part::Asked, asked, asked_bytes);
  kept.set(Part::Index, call.walked.index_name);
  if (error != nullptr) {
    kept.set(Part::Error, error_info(error->code()).name);
    kept.set(Part::Message, error->message());
    if (error->code() == ErrorCode::TransactionCanceled) kept.set(Part::Reasons, error->members());
    return;
  }
  kept.set(Part::Answered, call.reply);
  if (!call.undone.first_error.empty()) kept.set(Part::Reasons, call.undone.first_error);
  if (!call.charging.refused().empty()) kept.set(Part::Limits, LimitNames(call.charging).text());
}

}  // namespace stator
