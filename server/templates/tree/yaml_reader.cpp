#include "server/templates/tree/yaml_reader.h"

#include <yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/templates/tree/node_builder.h"

namespace stator::templates {
namespace {

std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view{} : reinterpret_cast<const char*>(text);
}

// An event of libyaml, freed with its owner.
class YamlEvent {
 public:
  YamlEvent() = default;
  ~YamlEvent() { yaml_event_delete(&event_); }
  YamlEvent(const YamlEvent&) = delete;
  YamlEvent& operator=(const YamlEvent&) = delete;

  // False on a mistake of syntax.
  bool take_from(yaml_parser_t& parser) { return yaml_parser_parse(&parser, &event_) != 0; }
  const yaml_event_t& operator*() const { return event_; }
  const yaml_event_t* operator->() const { return &event_; }

 private:
  yaml_event_t event_{};
};

class YamlReader {
 public:
  YamlReader(Forest& forest, std::uint16_t file, std::string_view text)
      : file_(file), text_(text), builder_(forest, kYamlNodesMax) {
    is_ready_ = yaml_parser_initialize(&parser_) != 0;
    if (!is_ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~YamlReader() {
    if (is_ready_) yaml_parser_delete(&parser_);
  }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  tl::expected<Node, Mistake> read() {
    if (!is_ready_) return tl::unexpected(builder_.mistake({file_, 0, 0}, "no memory is left"));
    bool has_document = false;
    while (true) {
      YamlEvent event;
      if (!event.take_from(parser_)) return tl::unexpected(syntax_mistake());
      const Spot spot = spot_of(event->start_mark);
      if (event->type == YAML_STREAM_END_EVENT) break;
      if (event->type == YAML_DOCUMENT_START_EVENT && std::exchange(has_document, true))
        return tl::unexpected(builder_.mistake(spot,
                                               "a second document begins here; a template "
                                               "is one"));
      if (!take(*event, spot)) return tl::unexpected(*builder_.failure());
    }
    if (builder_.root().is_nothing())
      return tl::unexpected(builder_.mistake({file_, 0, 0}, "it is empty"));
    return builder_.root();
  }

 private:
  Spot spot_of(const yaml_mark_t& mark) const {
    return {file_, static_cast<std::uint32_t>(mark.line + 1),
            static_cast<std::uint32_t>(mark.column + 1)};
  }

  // The function that a short form is; empty for tags that only name a type.
  static std::string function_of(std::string_view tag) {
    if (tag.size() < 2 || tag[0] != '!') return {};
    tag.remove_prefix(1);
    if (tag == "Ref" || tag == "Condition") return std::string(tag);
    return compose({"Fn::", tag});
  }

  bool take(const yaml_event_t& event, Spot spot) {
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        return take_scalar(event, spot);
      case YAML_ALIAS_EVENT:
        return builder_.add_alias(text_of(event.data.alias.anchor), spot);
      case YAML_SEQUENCE_START_EVENT:
        return builder_.open(/*is_map=*/false, spot,
                             {function_of(text_of(event.data.sequence_start.tag)),
                              std::string(text_of(event.data.sequence_start.anchor))});
      case YAML_MAPPING_START_EVENT:
        return builder_.open(/*is_map=*/true, spot,
                             {function_of(text_of(event.data.mapping_start.tag)),
                              std::string(text_of(event.data.mapping_start.anchor))});
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return builder_.close();
      default:
        return true;
    }
  }

  bool take_scalar(const yaml_event_t& event, Spot spot) {
    const auto& scalar = event.data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const std::string_view tag = text_of(scalar.tag);
    const bool is_plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    // `! 12` and `!!str 12` are strings.
    const bool is_string = !is_plain || tag == "!" || tag == "tag:yaml.org,2002:str";
    return builder_.add_scalar(text, is_string, is_plain, spot,
                               {function_of(tag), std::string(text_of(scalar.anchor))});
  }

  // libyaml's problem with its context, as one sentence.
  Mistake syntax_mistake() const {
    std::string said = parser_.problem == nullptr ? "it is no YAML" : parser_.problem;
    if (parser_.context != nullptr) said.append(", ").append(parser_.context);
    Spot spot = spot_of(parser_.problem_mark);
    // The reader of characters knows the byte alone.
    if (parser_.error == YAML_READER_ERROR) spot = spot_of_byte(parser_.problem_offset);
    return builder_.mistake(spot, said);
  }

  Spot spot_of_byte(std::size_t offset) const {
    const std::string_view before = text_.substr(0, std::min(offset, text_.size()));
    const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    return {file_, line + 1, static_cast<std::uint32_t>(before.size() - start + 1)};
  }

  const std::uint16_t file_;
  const std::string_view text_;
  yaml_parser_t parser_{};
  bool is_ready_ = false;
  NodeBuilder builder_;
};

}  // namespace

tl::expected<Node, Mistake> read_yaml(Forest& forest, std::uint16_t file, std::string_view text) {
  return YamlReader(forest, file, text).read();
}

}  // namespace stator::templates
