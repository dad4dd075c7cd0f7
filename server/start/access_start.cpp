#include "server/start/access_start.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "engine/api/engine.h"
#include "server/access/advisor/policy_formats.h"
#include "server/access/principals/directory_reader.h"
#include "server/data/formats/output_file.h"
#include "server/log/log.h"
#include "server/threads/shutdown.h"

namespace stator {

namespace {

using access::PolicyFormat;

// Reads the access file again, for a signal.
void reload(access::AccessControl& access) {
  const auto read = access.reload();
  if (!read) return log::error("the access file stays as it was: " + read.error());
  for (const std::string& line : *read) log::warn("--access-file: " + line);
  log::info("the access file is read again");
}

// By the ending of its name.
PolicyFormat format_of_file(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, PolicyFormat>, 5> kEndings{{
      {".tf", PolicyFormat::Terraform},
      {".ts", PolicyFormat::Cdk},
      {".mjs", PolicyFormat::Cdk},
      {".yaml", PolicyFormat::Sam},
      {".yml", PolicyFormat::Sam},
  }};
  for (const auto& [ending, format] : kEndings) {
    if (name.ends_with(ending)) return format;
  }
  return PolicyFormat::Json;
}

}  // namespace

tl::expected<access::Directory, std::string> read_access_file(Options& options) {
  if (options.access_file.empty()) return access::Directory();
  auto read = access::read_directory_file(options.access_file, options.is_access_file_insecure);
  if (!read) return tl::unexpected("--access-file: " + read.error());
  for (const std::string& line : read->warnings) log::warn("--access-file: " + line);
  const bool is_given =
      std::any_of(options.given.begin(), options.given.end(),
                  [](const GivenFlag& flag) { return flag.name == "account-id"; });
  if (!read->account.empty() && !is_given) options.settings.account_id = read->account;
  return read;
}

std::unique_ptr<access::AccessControl> make_access(const Options& options,
                                                   access::Directory directory,
                                                   const Engine& engine, Shutdown& shutdown) {
  const bool is_off = options.auth == AuthMode::Off;
  if (is_off && options.access_report_file.empty()) return nullptr;
  auto access = std::make_unique<access::AccessControl>(
      access::AccessControl::Parts{options.auth, options.access_file,
                                   options.is_access_file_insecure, options.settings,
                                   engine.clock()},
      std::move(directory));
  if (!is_off) shutdown.on_hangup([control = access.get()] { reload(*control); });
  return access;
}

int reported(int status, const Options& options, const access::AccessControl* access) {
  const std::string& path = options.access_report_file;
  if (access == nullptr || path.empty()) return status;
  const access::Advisor& advisor = access->advisor();
  const PolicyFormat format = format_of_file(path);
  const std::string text = format == PolicyFormat::Json
                               ? advisor.report({}) + "\n"
                               : access::policies_text(advisor.policies({}), format);
  const std::string why = data::write_file(path, text);
  if (why.empty()) return status;
  log::error("--access-report: " + why);
  return 1;
}

}  // namespace stator
