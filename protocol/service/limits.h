// Every documented limit this build enforces, with its unit. Sources:
// conformance/observed/limits.md.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stator::limits {

inline constexpr std::size_t kRequestBodyBytesMax = 16 * 1024 * 1024;
inline constexpr std::size_t kRequestHeaderBytesMax = 16 * 1024;
inline constexpr std::size_t kRequestLineBytesMax = 16 * 1024;
inline constexpr std::size_t kCompressedAnswerBytesMin = 4096;

inline constexpr std::size_t kItemBytesMax = 400 * 1024;
inline constexpr std::size_t kPartitionKeyBytesMax = 2048;
inline constexpr std::size_t kSortKeyBytesMax = 1024;
inline constexpr std::size_t kValueDepthMax = 32;
// Depth of a value that is only compared, in operations with the old wording.
inline constexpr std::size_t kComparedValueDepthMax = 62;
inline constexpr std::size_t kAttributeNameBytesMax = 65'535;
inline constexpr std::int64_t kItemCollectionBytesMax = std::int64_t{10} << 30;
inline constexpr std::size_t kNonKeyAttributesPerTableMax = 100;

inline constexpr std::size_t kBatchGetKeysMax = 100;
// The documentation says 16 MB; its only example returns 52 items of 300 KB.
inline constexpr std::size_t kBatchGetBytesMax = 16'000'000;
inline constexpr std::size_t kBatchGetPartitionBytesMax = 1024 * 1024;
inline constexpr std::size_t kBatchWriteRequestsMax = 25;
inline constexpr std::size_t kClientTokenCharactersMax = 36;
// Bytes in a transaction's request, or bytes read for its items.
inline constexpr std::size_t kTransactionBytesMax = 4 * 1024 * 1024;

inline constexpr std::size_t kTableNameCharsMin = 3;
inline constexpr std::size_t kTableNameCharsMax = 255;
inline constexpr std::size_t kTableArnCharsMax = 1024;

inline constexpr std::size_t kLocalIndexesMax = 5;
inline constexpr std::size_t kGlobalIndexesMax = 20;
inline constexpr std::size_t kIndexHashKeysMax = 4;
inline constexpr std::size_t kIndexRangeKeysMax = 4;

inline constexpr std::int64_t kAccountUnitsMax = 80'000;
inline constexpr std::int64_t kTableUnitsMax = 40'000;
inline constexpr std::int64_t kThroughputUnitsMax = 1'000'000'000'000;
inline constexpr std::int64_t kOnDemandReadUnitsPerSecondInitial = 12'000;
inline constexpr std::int64_t kOnDemandWriteUnitsPerSecondInitial = 4'000;

inline constexpr std::size_t kTagsMax = 50;
inline constexpr std::size_t kTagKeyCharsMax = 128;
inline constexpr std::size_t kTagValueCharsMax = 256;

inline constexpr std::size_t kPolicyBytesMax = 20'480;

inline constexpr std::int64_t kListTablesPageMax = 100;
inline constexpr std::int64_t kListContributorInsightsPageMax = 100;

// Bytes of the items evaluated by one Query or Scan, in packed form
// (engine/storage/records/packed_size.h).
inline constexpr std::size_t kPageBytesMax = 1024 * 1024;

inline constexpr std::size_t kReadUnitBytes = 4096;
inline constexpr std::size_t kWriteUnitBytes = 1024;

}  // namespace stator::limits
