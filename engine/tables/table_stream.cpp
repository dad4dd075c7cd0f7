#include "engine/tables/table_stream.h"

#include <chrono>
#include <utility>

#include "engine/schema/stream.h"
#include "engine/storage/stores/stream_store.h"
#include "engine/tables/table_definition.h"
#include "protocol/shapes/shape.h"

namespace stator {

Result<StreamSettings> build_stream(const JsonNode& specification, const Table& table,
                                    const Snapshot& snapshot) {
  StreamSettings stream;
  stream.view_type = build_stream_view_type(*string_member(specification, "StreamViewType"));
  // Labels are times in milliseconds, and two streams may begin in the same one.
  for (Timestamp time = snapshot.now();; time = time.plus(std::chrono::milliseconds(1))) {
    stream.label = stream_label(time);
    STATOR_TRY(const auto other,
               storage::find_stream(snapshot.transaction(),
                                    StreamName{table.scope, table.name, stream.label}));
    const bool is_free = !other && (!table.stream || table.stream->label < stream.label);
    if (is_free) return stream;
  }
}

}  // namespace stator
