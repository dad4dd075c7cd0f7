#include "server/data/recognition/file_look.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace stator::data {

namespace {

using namespace std::string_view_literals;

struct Look {
  std::string_view beginning;
  std::string_view what;
};

constexpr std::array kForeign{
    Look{"BZh"sv, "bzip2 data, which are not unpacked here"},
    Look{"\xFD"
         "7zXZ\0"sv,
         "xz data, which are not unpacked here"},
    Look{"PK\x03\x04"sv, "a ZIP archive, which is not unpacked here"},
    Look{"\xE0\x01\x00\xEA"sv, "binary Amazon Ion, which is not read"},
    Look{"PAR1"sv, "Parquet, which is not read"},
    Look{"SQLite format 3\0"sv, "a database of SQLite"},
    Look{"\xFF\xFE\0\0"sv, "UTF-32; UTF-8 is read"},
    Look{"\xFF\xFE"sv, "UTF-16; UTF-8 is read"},
    Look{"\xFE\xFF"sv, "UTF-16; UTF-8 is read"},
};

// In small letters.
constexpr std::array kText{
    Look{"<!doctype html", "HTML"}, Look{"<html", "HTML"},   Look{"<?xml", "XML"},
    Look{"<", "XML or HTML"},       Look{"$ion_", kIonLook}, Look{"insert into", "SQL"},
    Look{"create table", "SQL"},
};

bool is_name(unsigned char byte) { return std::isalnum(byte) != 0 || byte == '_'; }

// {Item:{pk:"a"}}: a name without quotes.
bool begins_ion_struct(std::string_view text) {
  if (!text.starts_with('{')) return false;
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n", 1), text.size()));
  const auto* const end = std::find_if_not(text.begin(), text.end(), is_name);
  return end != text.begin() && end != text.end() && *end == ':';
}

}  // namespace

std::string foreign_look(std::string_view beginning) {
  for (const Look& look : kForeign)
    if (beginning.starts_with(look.beginning)) return std::string(look.what);
  const bool has_zero = beginning.find('\0') != std::string_view::npos;
  return has_zero ? "binary data" : std::string();
}

std::string_view text_look(std::string_view beginning) {
  beginning.remove_prefix(std::min(beginning.find_first_not_of(" \t\r\n"), beginning.size()));
  if (begins_ion_struct(beginning)) return kIonLook;
  std::string small(beginning.substr(0, kLookBytes));
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char byte) { return static_cast<char>(std::tolower(byte)); });
  for (const Look& look : kText)
    if (small.starts_with(look.beginning)) return look.what;
  return "plain text";
}

}  // namespace stator::data
