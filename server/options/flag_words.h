// The words that flags take, and what they stand for.
#pragma once

#include <string_view>

#include "server/options/options.h"

namespace stator {

// A word of a flag and what it stands for.
template <class T>
struct Word {
  std::string_view text;
  T value;
};

inline constexpr Word<storage::Sync> kSyncs[] = {{"commit", storage::Sync::Commit},
                                                 {"lazy", storage::Sync::Lazy}};
inline constexpr Word<Profile> kWordings[] = {
    {"current", Profile::Current}, {"classic", Profile::Classic}, {"next", Profile::Next}};
inline constexpr Word<Isolation> kIsolations[] = {
    {"region", Isolation::Region}, {"none", Isolation::None}, {"key", Isolation::Key}};
inline constexpr Word<Throttling> kThrottlings[] = {
    {"off", Throttling::Off}, {"observe", Throttling::Observe}, {"enforce", Throttling::Enforce}};
inline constexpr Word<RootAnswer> kRootAnswers[] = {{"aws", RootAnswer::Healthy},
                                                    {"local", RootAnswer::MissingToken}};
inline constexpr Word<AuthMode> kAuthModes[] = {{"off", AuthMode::Off},
                                                {"signature", AuthMode::Signature},
                                                {"iam", AuthMode::Iam},
                                                {"audit", AuthMode::Audit}};
inline constexpr Word<bool> kSwitches[] = {{"on", true}, {"off", false}};
inline constexpr Word<log::Format> kFormats[] = {{"text", log::Format::Text},
                                                 {"json", log::Format::Json}};
inline constexpr Word<log::Level> kLevels[] = {
    {"trace", log::Level::Trace}, {"debug", log::Level::Debug}, {"info", log::Level::Info},
    {"warn", log::Level::Warn},   {"error", log::Level::Error}, {"off", log::Level::Off}};

// The word for a value; empty if it has none.
template <class T, std::size_t N>
constexpr std::string_view word_of(const Word<T> (&words)[N], const T& value) {
  for (const auto& word : words) {
    if (word.value == value) return word.text;
  }
  return {};
}

}  // namespace stator
