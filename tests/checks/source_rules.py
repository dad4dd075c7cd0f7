#!/usr/bin/python3
"""House rules that no compiler checks, over the C++ of the tree.

The direction of includes and where third-party headers may appear, entries of folders, length of
lines, files and functions, words that have no place here, a comment that opens each file (a source file may leave that to its
header), headers nobody includes, sources nobody compiles, paths and sections that comments cite,
suites of conformance/ that share a name.
Prints one line per finding and exits 1 when there is any.
"""

import fnmatch
import pathlib
import re
import sys

import tree
from tree import ROOT

LAYERS = ["protocol", "engine", "streams", "server"]
# All folders of the product, lowest first. A file includes from its own folder and from those above it
# in this list; so layers and rooms have no circles, and a new folder needs a decision.
ORDER = """
protocol/memory
protocol/text
protocol/number
protocol/json
protocol/cbor
protocol/errors
protocol/service
protocol/policy
protocol/access/language
protocol/access
protocol/access/memory
protocol/values
protocol/shapes
protocol/expression/syntax
protocol/expression/resolution
protocol/expression/evaluation
protocol/expression/updates
protocol/expression/legacy
protocol/partiql
engine/seams
engine/schema
engine/capacity
engine/throughput
engine/storage/bytes
engine/storage/lmdb
engine/storage/keys
engine/storage/records
engine/storage/durability
engine/storage/environment
engine/storage/stores
engine/storage/descriptions
engine/storage/migration
engine/call
engine/catalog
engine/state
engine/indexes
engine/items
engine/pages
engine/tables
engine/kinesis
engine/maintenance/chores
engine/maintenance
engine/operations/paging
engine/operations
engine/operations/items
engine/operations/reads
engine/operations/batches
engine/operations/transactions
engine/operations/partiql
engine/operations/tags
engine/operations/insights
engine/operations/kinesis
engine/operations/kinesis_streams
engine/operations/tables
engine/operations/jobs
engine/operations/backups
engine/operations/policies
engine/operations/exports
engine/operations/imports
engine/operations/bulk
engine/operations/access
engine/reports
engine/reports/views
engine/data_folder
engine/api
engine/documents
engine/history
streams/filters
engine/outbox
streams
server/log
server/http
server/http2
server/options
server/faults
server/console
server/explain/requests
server/explain/hints
server/explain
server/access/signing
server/access/principals
server/access/advisor
server/access
server/access/decisions
server/access/sts
server/client
server/triggers
server/triggers/api
server/triggers/batches
server/triggers/runtimes
server/triggers/invocation
server/triggers/delivery
server/dispatch
server/threads
server/connections
server/metrics
server/templates
server/templates/tree
server/templates/intrinsics
server/templates/drafts
server/templates/stacks
server/templates/sources
server/data/packing
server/data/transfer
server/data/recognition
server/data/formats
server/data/objects
server/data/s3
server/data
server/jobs
server/kinesis
server/templates/plan
server/templates/schema
server/templates/seeding
server/admin
server/start
server/cli/fault_command
server/cli/access_command
server/cli/trigger_command
server/cli/function_command
server/cli/output
server/cli/log_command
server/cli/client
server/cli/mcp/answers
server/cli/mcp/tools
server/cli/mcp
server/cli/template_commands
server/cli/dynamodb_local
server/cli/command_line
server/cli/commands
server
""".split()
PLACE = {folder: place for place, folder in enumerate(ORDER)}
# What streams and server see of the engine: plain values, and the headers written for them. The rest
# can then change without a look at them, and without compiling them. Each entry is in use.
PUBLIC = """
engine/seams/clock.h
engine/seams/iso_time.h
engine/seams/movable_clock.h
engine/seams/random.h
engine/schema/bulk_job.h
engine/schema/capacity.h
engine/schema/export_job.h
engine/schema/import_job.h
engine/schema/kinesis.h
engine/schema/stream.h
engine/schema/stream_name.h
engine/schema/table.h
engine/capacity/parameters.h
engine/capacity/throttling_error.h
engine/capacity/throttling_reason.h
engine/call/call.h
engine/call/scope.h
engine/call/settings.h
engine/call/work.h
engine/tables/key_schema.h
engine/operations/access/access_requests.h
engine/tables/time_to_live.h
engine/operations/answer_members.h
engine/operations/batches/unprocessed_parts.h
engine/operations/define.h
engine/operations/kinesis_streams/kinesis_stream_operations.h
engine/operations/operation.h
engine/operations/resources.h
engine/operations/paging/sealed_token.h
engine/reports/figures.h
engine/reports/reported_key.h
engine/reports/throughput_figures.h
engine/reports/use_series.h
engine/reports/views/due_events.h
engine/reports/views/expiry_queue.h
engine/reports/views/item_history.h
engine/reports/views/waiting_changes.h
engine/reports/views/mark_changes.h
engine/reports/views/stream_reports.h
engine/reports/views/transaction_figures.h
engine/data_folder/data_folder.h
engine/data_folder/unnamed_file.h
engine/api/bulk_puts.h
engine/api/control.h
engine/api/dry_run.h
engine/api/engine.h
engine/api/families.h
engine/api/operation_table.h
engine/api/ready_exports.h
engine/api/ready_imports.h
engine/api/stream_reader.h
engine/api/table_view.h
engine/documents/documents.h
engine/history/kept_changes.h
engine/outbox/kinesis_queue.h
""".split()
# Rooms that headers of PUBLIC do not include, not even by others, and the plain values there: a change
# of a table's records, say, compiles no file of the server.
CLOSED_ROOMS = ("engine/storage/", "engine/catalog/", "engine/state/", "engine/indexes/", "engine/items/",
                "engine/pages/", "engine/maintenance/")
OPEN_THERE = {
    "engine/storage/durability/store_options.h",
    "engine/storage/environment/commit_queue.h",
    "engine/maintenance/chores/maintenance_state.h",
}
ENTRIES_MAX = 25  # of a folder, files and folders together
COLUMNS_MAX = 100
FILE_LINES_MAX = {"source": 450, "test": 900}
FUNCTION_LINES_MAX = {"source": 60, "test": 120}

# Third-party include -> files that may see it (regular expressions on the path).
CONTAINED = [
    (r"<lmdb\.h>", r"engine/storage/(lmdb|durability|environment|stores)/"),
    (r"<rapidjson/", r"protocol/json/json_(reader|stream|writer|tree)\.(h|cpp)$"),
    (r"<spdlog/", r"server/log/log\.(h|cpp)$"),
    (r"<CLI/", r"server/(options|cli/(command_line|client|fault_command|access_command|function_command|trigger_command|mcp|template_commands)|data)/"),
    (r"<boost/", r"server/(http|threads|connections|client|app\.cpp)|tests/(unit/server|bench)/"),
    (r"<openssl/", r"server/(access|client|connections|data/packing)/|tests/unit/server/|engine/storage/(bytes|keys)/"),
    (r"<zlib\.h>", r"server/(http|data/packing)/|tests/unit/server/"),
    (r"<zstd\.h>", r"server/data/packing/|tests/unit/server/"),
    (r"<expat\.h>", r"server/data/s3/s3_answers\.cpp$"),
    (r"<nghttp2/", r"server/http2/http2_session\.cpp$|tests/unit/server/http2/"),
    (r"<yaml\.h>", r"server/templates/tree/yaml_reader\.cpp$"),
    (r"<libdeflate\.h>", r"server/http/|engine/storage/durability/"),
    (r"<prometheus/", r"server/metrics/metric_family\.(h|cpp)$"),
    (r"<catch2/", r"tests/"),
]
COROUTINES = r"(server/(connections/(session|session_events|session_faults|listener)|app)\.(h|cpp)|tests/bench/bare_server\.cpp)$"

# Word -> (files where it is allowed, why it is not welcome elsewhere).
BANNED = [
    (r"\b(TODO|FIXME|XXX|HACK)\b", None, "leave no work behind"),
    (r"\busing namespace std;", None, "names the standard library wholesale"),
    (r"\[[=]\]|\[=,", None, "lambdas name their captures"),
    (r"\b(sleep_for|sleep_until|usleep|nanosleep)\b", None, "wait for an event instead"),
    (r"\b(strcpy|strcat|sprintf|gets|atoi|atol|atof)\s*\(", None, "unbounded or unchecked"),
    (r"\bstd::rand\b|\bsrand\b|\brandom_device\b|\bmt19937(_64)?\b", r"engine/seams/random\.|tests/",
     "randomness comes from engine/seams/random.h"),
    (r"system_clock::now|\btime\(nullptr\)|\bgettimeofday\b", r"engine/seams/clock\.|tests/|server/log/log\.",
     "time comes from engine/seams/clock.h"),
    (r"\bgetenv\b", r"(engine/storage/durability/data_home|server/options/variables)\.cpp|tests/",
     "the environment is read in server/options/variables.h and for the folder of data in memory"),
    (r"\bstd::cout\b", r"tests/", "stdout carries one line, written in server/main.cpp"),
    (r"\bnew [A-Za-z_:]+[({[]", r"protocol/memory/arena\.", "owned by nobody"),
    (r"\bco_(await|return|yield)\b", COROUTINES, "coroutines stay in few files of server/"),
]


def strip_strings_and_comments(line):
    """Blanks literals and a trailing comment, so that rules see code only."""
    line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
    line = re.sub(r"'(\\.|[^'\\])'", "' '", line)
    return re.sub(r"//.*", "", line)


def include_findings(path, lines):
    """Includes point from the right to the left of ORDER; those of tests, to their layer and below."""
    folder = str(pathlib.PurePath(path).parent)
    parts = path.split("/")
    if parts[0] in LAYERS:
        if folder not in PLACE:
            yield 1, f"{folder} has no place in ORDER"
            return
        place = PLACE[folder]
    elif parts[:2] == ["tests", "unit"] and len(parts) > 3:
        place = max(PLACE[other] for other in ORDER if other.split("/")[0] == parts[2])
    elif parts[:2] == ["tests", "model"]:
        place = PLACE["streams"]
    else:
        return
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not match:
            continue
        if "/" not in match[1]:
            yield number, "include by the path from the root"
        other = str(pathlib.PurePath(match[1]).parent)
        if other in PLACE and PLACE[other] > place:
            yield number, f"{folder} must not include {match[1]}"
        if parts[0] in ("streams", "server") and match[1].startswith("engine/") and match[1] not in PUBLIC:
            yield number, (f"{match[1]} is the engine's own: streams and server include what PUBLIC in "
                           "tests/checks/source_rules.py names, so that the engine's inside can change "
                           "alone. Ask engine/api for it, or add it to PUBLIC with a contract for others")


def public_findings(texts):
    """PUBLIC is what streams and server use, and brings them nothing of the engine's closed rooms."""
    includes = {path: re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M) for path, text in texts.items()}
    used = {other for path, others in includes.items() if path.startswith(("streams/", "server/")) for other in others}
    for path in PUBLIC:
        if path not in used:
            yield path, "in PUBLIC, but neither streams nor server includes it"
        reached = {path}
        waiting = [path]
        while waiting:
            header = waiting.pop()
            for other in includes.get(header, []):
                if other.startswith(CLOSED_ROOMS) and other not in OPEN_THERE:
                    yield header, f"includes {other}, and {path} in PUBLIC includes it: declare its types"
                elif other not in reached:
                    reached.add(other)
                    waiting.append(other)


def folder_findings():
    """Entries of each folder; a fuzzer's corpus may be many files."""
    for folder, inner, names in tree.walk(*LAYERS, "tests", "conformance", "docs"):
        count = len(inner) + sum(not name.startswith(".") for name in names)
        if count > ENTRIES_MAX and "corpus" not in folder.parts:
            yield folder.relative_to(ROOT), f"{count} entries, at most {ENTRIES_MAX}"


def map_findings():
    """ARCHITECTURE.md has a line for each folder of ORDER, in its order."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    mapped = [folder for folder in re.findall(r"^\| `([\w/]+)` \|", text, re.M) if folder.split("/")[0] in LAYERS]
    for folder in ORDER:
        if folder not in mapped:
            yield "ARCHITECTURE.md", f"the map has no line for {folder}"
    for folder in mapped:
        if folder not in PLACE:
            yield "ARCHITECTURE.md", f"the map has {folder}, which has no place in ORDER"
    if sorted(mapped) == sorted(ORDER) and mapped != ORDER:
        yield "ARCHITECTURE.md", "the map is not in the order of ORDER"


def word_findings(path, lines):
    raw_string = False
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX and 'R"' not in line and not raw_string:
            yield number, f"{len(line)} columns, at most {COLUMNS_MAX}"
        opened = re.search(r'(?<!\w)R"', line)
        if opened and ')"' not in line[opened.end():]:
            raw_string = True
        elif raw_string:
            raw_string = not re.search(r'\)[a-zA-Z_]*"', line)
            continue
        if "\t" in line or line != line.rstrip():
            yield number, "tab or trailing space"
        include = re.match(r"\s*#\s*include\s+(<[^>]+>)", line)
        for pattern, where in CONTAINED:
            if include and re.match(pattern, include[1]) and not re.search(where, path):
                yield number, f"{include[1]} belongs in {where}"
        code = strip_strings_and_comments(line)
        if "unique_ptr" in " ".join(lines[max(number - 2, 0) : number]):
            code = code.replace("new ", "")  # a private constructor: owned at once
        for pattern, where, why in BANNED:
            text = line if "TODO" in pattern else code
            if re.search(pattern, text) and not (where and re.search(where, path)):
                yield number, f"{re.search(pattern, text)[0].strip()}: {why}"


CITED = re.compile(
    r"(?<![\w/.])((?:protocol|engine|streams|server|tests|conformance|docs|docker)/[\w./*-]*\w"
    r"|[\w./-]+\.md(?!\w))(?: (\d+(?:\.\d+)*))?")


def citation_findings(path, lines):
    """What a comment cites is there: from the root, or a page beside the file; a number behind a
    page is a section's. Of Python, where comments are hard to tell, pages of facts alone."""
    is_python = path.endswith(".py")
    for number, line in enumerate(lines, 1):
        comment = line if is_python else line.partition("//")[2]
        for cited, section in CITED.findall(comment):
            if is_python and not cited.startswith("conformance/observed/"):
                continue
            found = [*ROOT.glob(cited), *(ROOT / path).parent.glob(cited)]
            if not found:
                yield number, f"cites {cited}, which is not there"
            elif section and not re.search(rf"^#+ {re.escape(section)}[. ]",
                                           found[0].read_text("utf-8"), re.M):
                yield number, f"cites {cited} {section}, which has no such section"


NOT_A_FUNCTION = re.compile(
    r"\s*(namespace|class|struct|enum|union|if|else|for|while|switch|do|try|catch|case|default|"
    r"extern|return|static_assert|constexpr std::array|[}\])])\b|\s*}")


def function_findings(kind, lines):
    """Formatted code: a body opens with a line that ends in `) {` or like it and closes with a
    brace at the same depth of indentation as the statement that opened it."""
    limit = FUNCTION_LINES_MAX[kind]
    for start, line in enumerate(lines):
        if not line.endswith("{") or NOT_A_FUNCTION.match(line):
            continue
        opener = line
        first = start
        # Its first line: behind arguments in several lines, and a constructor's initializers.
        while first > 0 and (opener.count(")") > opener.count("(")
                             or re.match(r"\s+[:,] ", lines[first])):
            first -= 1
            opener = lines[first] + opener
        if "(" not in opener or NOT_A_FUNCTION.match(lines[first]):
            continue
        indent = len(lines[first]) - len(lines[first].lstrip())
        for end in range(start + 1, len(lines)):
            if re.match(rf" {{{indent}}}}}", lines[end]):
                if end - first + 1 > limit:
                    yield first + 1, f"a function of {end - first + 1} lines, at most {limit}"
                break


def findings(path, text):
    lines = text.split("\n")
    kind = "test" if path.startswith("tests/") else "source"
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield len(lines), "end the file with one newline"
    if len(lines) - 1 > FILE_LINES_MAX[kind]:
        yield 1, f"{len(lines) - 1} lines, at most {FILE_LINES_MAX[kind]}: look for a seam"
    has_header = (ROOT / path).with_suffix(".h").exists() or path.endswith("_test.cpp")
    if not has_header and not any(line.startswith("//") for line in lines[:4]):
        yield 1, "open the file with what it is for"
    if path.endswith(".h") and "#pragma once" not in lines:
        yield 1, "no #pragma once"
    yield from include_findings(path, lines)
    yield from word_findings(path, lines)
    yield from citation_findings(path, lines)
    yield from function_findings(kind, lines)


def suite_findings():
    """./dev conformance names a suite without its folder, so no two have the same name."""
    names = {}
    for run in sorted([*ROOT.glob("conformance/*/run"), *ROOT.glob("conformance/*/*/run")]):
        other = names.setdefault(run.parent.name, run)
        if other != run:
            yield run.relative_to(ROOT), f"{other.relative_to(ROOT)} has the same name"


def main():
    files = sorted(
        path for folder in LAYERS + ["tests"] for suffix in ("h", "cpp")
        for path in (ROOT / folder).rglob(f"*.{suffix}"))
    texts = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in files}
    count = 0
    included = set()
    for path, text in texts.items():
        included.update(re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M))
        for number, message in findings(path, text):
            print(f"{path}:{number}: {message}")
            count += 1
    for file in tree.files(".py", "tests", "conformance"):
        path = str(file.relative_to(ROOT))
        for number, message in citation_findings(path, file.read_text("utf-8").split("\n")):
            print(f"{path}:{number}: {message}")
            count += 1
    for folder, message in (*folder_findings(), *map_findings()):
        print(f"{folder}: {message}")
        count += 1
    for path, message in (*suite_findings(), *public_findings(texts)):
        print(f"{path}:1: {message}")
        count += 1
    names = {}
    for path in texts:
        other = names.setdefault(pathlib.PurePath(path).name, path)
        if other != path:
            print(f"{path}:1: {other} has the same name")
            count += 1
    listed = re.findall(r"[a-z0-9_/*]+\.cpp", (ROOT / "CMakeLists.txt").read_text("utf-8"))
    # fnmatch's * crosses folders, as GLOB_RECURSE does.
    for path in texts:
        if path.endswith(".h") and path not in included:
            print(f"{path}:1: nobody includes this header")
            count += 1
        if path.endswith(".cpp") and not any(fnmatch.fnmatch(path, entry) for entry in listed):
            print(f"{path}:1: not listed in CMakeLists.txt")
            count += 1
    print(f"source rules: {len(texts)} files, {count} findings")
    return 1 if count or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
