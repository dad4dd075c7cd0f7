// Marks at random: what the data was, as often as it is gone back to, with anything in between.
#include <algorithm>
#include <utility>

#include "tests/model/data_plane/runs/run.h"

namespace stator::model {
namespace {

constexpr std::size_t kMarksKept = 4;

}  // namespace

void Run::move_marks() {
  const std::size_t verb = dice_.below(10);
  if (marks_.empty() || (verb < 3 && marks_.size() < kMarksKept)) return set_mark();
  const std::size_t chosen = dice_.below(marks_.size());
  if (verb == 9) return forget_mark(chosen);
  roll_back(chosen);
}

void Run::set_mark() {
  count("mark set");
  RememberedState state{"mark" + std::to_string(++marks_made_), {}, kept_, index_changes_};
  for (const auto& table : tables_) state.tables.push_back(*table);
  expect_mark(driver_->engine().set_mark(state.name), "set " + state.name);
  marks_.push_back(std::move(state));
}

void Run::forget_mark(std::size_t chosen) {
  count("mark forgotten");
  const std::string& name = marks_[chosen].name;
  expect_mark(driver_->engine().forget_mark(name), "forget " + name);
  marks_.erase(marks_.begin() + static_cast<long>(chosen));
}

void Run::roll_back(std::size_t chosen) {
  count("mark gone back to");
  const RememberedState& state = marks_[chosen];
  expect_mark(driver_->engine().roll_back(state.name), "go back to " + state.name);
  last_write_ = "go back to " + state.name;
  kept_ = state.kept;
  index_changes_ = state.index_changes;
  tables_.clear();
  for (const LiveTable& table : state.tables) tables_.push_back(std::make_unique<LiveTable>(table));
  marks_.erase(marks_.begin() + static_cast<long>(chosen) + 1, marks_.end());
  Json expected;
  Json& names = expected["TableNames"] = Json::list();
  for (const auto& table : tables_) names.array.push_back(Json::string(table->model.schema().name));
  std::sort(names.array.begin(), names.array.end(),
            [](const Json& a, const Json& b) { return a.text < b.text; });
  expect("ListTables", Json(), expected);
  for (const auto& table : tables_) verify(*table);
}

void Run::expect_mark(MarkOutcome end, const std::string& what) const {
  if (end != MarkOutcome::Done)
    throw Difference(what + " ended with " + std::to_string(static_cast<int>(end)));
}

}  // namespace stator::model
