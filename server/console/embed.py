#!/usr/bin/env python3
"""Turns the console's built files into one C++ file, which the build compiles into the program.

    embed.py DIST OUTPUT

DIST is what `npm run build` in server/console/web wrote. If it does not exist, the program has no console. The same files
give the same bytes, whatever the path and time.
"""

import gzip
import hashlib
import pathlib
import re
import sys

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
# Vite puts a hash of the content into the names of these, so a name never changes its content.
HASHED = re.compile(r"assets/.+-[A-Za-z0-9_-]{8}\.[a-z0-9]+")
BYTES_A_LINE = 40


def literal(content):
    """A C++ string literal. Octal escapes of three digits end by themselves, unlike those in hexadecimal."""
    lines = [content[i:i + BYTES_A_LINE] for i in range(0, len(content), BYTES_A_LINE)]
    return "\n".join('    "' + "".join(f"\\{byte:03o}" for byte in line) + '"' for line in lines) or '    ""'


def entry(name, content):
    kind = TYPES.get(pathlib.PurePath(name).suffix)
    if kind is None:
        sys.exit(f"embed.py: no content type is known for {name}, see TYPES")
    if not re.fullmatch(r"[A-Za-z0-9_./-]+", name):
        sys.exit(f"embed.py: {name} needs escapes in a URL")
    packed = gzip.compress(content, compresslevel=9, mtime=0)
    sum_ = hashlib.sha256(content).hexdigest()[:32]
    is_hashed = "true" if HASHED.fullmatch(name) else "false"
    return (f'    {{"{name}", "{kind}",\n     std::string_view(\n{literal(packed)},\n     {len(packed)}),\n'
            f'     {len(content)}, "{sum_}", {is_hashed}}},\n')


def main():
    dist, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    files = sorted(path for path in dist.rglob("*") if path.is_file())
    names = [path.relative_to(dist).as_posix() for path in files]
    if files and "index.html" not in names:
        sys.exit(f"embed.py: there is no index.html in {dist}")
    table = "".join(entry(name, path.read_bytes()) for name, path in zip(names, files))
    text = ('// Made by server/console/embed.py.\n#include "server/console/console.h"\n\n'
            '#include <array>\n\nnamespace stator {\n\nnamespace {\n\n'
            f'constexpr std::array<ConsoleFile, {len(files)}> kFiles = {{{{\n{table}}}}};\n\n'
            '}  // namespace\n\nstd::span<const ConsoleFile> console_files() { return kFiles; }\n\n'
            '}  // namespace stator\n')
    if not files:
        text = text.replace("{{\n}}", "{}")
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text)


main()
