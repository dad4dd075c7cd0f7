#include "server/jobs/import_log.h"

#include <utility>

#include "protocol/json/json_writer.h"
#include "server/log/log.h"

namespace stator {
namespace {

std::string line_of(const ImportJob& job, std::string_view key, std::uint64_t index,
                    std::string_view message) {
  std::string line;
  JsonWriter out(line);
  out.begin_object();
  out.key("itemS3Pointer");
  out.begin_object();
  out.member("bucket", std::string_view(job.request.bucket));
  out.member("key", key);
  out.member("itemIndex", static_cast<std::int64_t>(index));
  out.end_object();
  out.member("importArn", std::string_view(job.arn()));
  out.key("errorMessages");
  out.begin_array();
  out.string(message);
  out.end_array();
  out.end_object();
  return line += '\n';
}

}  // namespace

std::string ImportLog::key() const { return "aws-dynamodb/imports/" + job_.id + ".jsonl"; }

void ImportLog::give_up(const data::StoreFailure& failure) {
  writer_.reset();
  is_given_up_ = true;
  log::warn("the errors of import " + job_.id + " cannot be written to " +
            store_.where(store_.logs_bucket()) + "/" + key() + ": " + failure.message);
}

void ImportLog::add(std::string_view key, std::uint64_t index, std::string_view message) {
  if (is_given_up_ || is_full()) return;
  if (writer_ == nullptr) {
    auto writer = store_.create(store_.logs_bucket(), this->key());
    if (!writer) return give_up(writer.error());
    writer_ = *std::move(writer);
  }
  ++lines_;
  if (auto added = writer_->append(line_of(job_, key, index, message)); !added)
    give_up(added.error());
}

void ImportLog::finish() {
  if (writer_ == nullptr) return;
  const auto finished = writer_->finish();
  if (!finished) return give_up(finished.error());
  writer_.reset();
  log::info("the errors of import " + job_.id + " are in " + store_.where(store_.logs_bucket()) +
            "/" + key());
}

}  // namespace stator
