#include "server/jobs/export_lines.h"

#include <string_view>

#include "server/data/transfer/ion_text.h"
#include "server/data/transfer/json_text.h"

namespace stator {
namespace {

using AppendItem = void (*)(std::string& out, Item item);

// What a member's name looks like before its value.
std::string name_text(ExportFormat format, std::string_view name) {
  if (format == ExportFormat::Ion) return std::string(name) + ":";
  return "\"" + std::string(name) + "\":";
}

void append_written(std::string& out, ExportFormat format, Timestamp written) {
  const std::string micros = std::to_string(written.unix_us);
  out += name_text(format, "Metadata");
  if (format == ExportFormat::Ion) {
    out.append("{WriteTimestampMicros:").append(micros).append(".}");
  } else {
    out.append(R"({"WriteTimestampMicros":{"N":")").append(micros).append("\"}}");
  }
}

void append_changes(std::string& out, const ExportJob& job, const ReadyExports::Entry& entry,
                    AppendItem append_item) {
  const ExportFormat format = job.request.format;
  const auto append = [&](std::string_view name, Item item) {
    out.append(",").append(name_text(format, name));
    append_item(out, item);
  };
  out += '{';
  append_written(out, format, entry.written);
  append("Keys", entry.item);
  if (entry.before && job.request.window->view == ExportView::NewAndOldImages)
    append("OldImage", *entry.before);
  if (entry.after) append("NewImage", *entry.after);
  out += '}';
}

}  // namespace

bool append_export_line(std::string& out, const ExportJob& job, const ReadyExports::Entry& entry) {
  const bool is_ion = job.request.format == ExportFormat::Ion;
  const AppendItem append_item = is_ion ? data::append_ion_item : append_item_json;
  const bool is_incremental = job.request.window.has_value();
  if (is_incremental && !entry.before && !entry.after) return false;
  if (is_incremental) {
    if (is_ion) out.append(data::kIonVersion).append(" {Record:");
    append_changes(out, job, entry, append_item);
    if (is_ion) out += '}';
  } else if (is_ion) {
    data::append_ion_line(out, entry.item);
  } else {
    data::append_item_line(out, entry.item);
  }
  out += '\n';
  return true;
}

}  // namespace stator
