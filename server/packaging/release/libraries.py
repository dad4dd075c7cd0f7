"""What the static program holds of others: for the bill of materials and the licences beside it.

Versions are those of the Debian packages that the program was linked with: this machine's, or for another architecture those
that `./dev install arm64` unpacked. Licence texts are this machine's.
"""

import json
import pathlib
import subprocess
import time

from architectures import X86_64
from archives import entry

# Debian package -> licence, as SPDX says it.
LIBRARIES = {
    "libboost1.81-dev": "BSL-1.0",
    "libc6-dev": "LGPL-2.1-or-later",
    "libcli11-dev": "BSD-3-Clause",
    "libdeflate-dev": "MIT",
    "libexpat1-dev": "MIT",
    "libexpected-dev": "CC0-1.0",
    "libfmt-dev": "MIT",
    "liblmdb-dev": "OLDAP-2.8",
    "libnghttp2-dev": "MIT",
    "libspdlog-dev": "MIT",
    "libssl-dev": "Apache-2.0",
    "libstdc++-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libyaml-dev": "MIT",
    "libzstd-dev": "BSD-3-Clause",
    "prometheus-cpp-dev": "MIT",
    "rapidjson-dev": "MIT",
    "zlib1g-dev": "Zlib",
}
COMMON = ["Apache-2.0", "GPL-3", "LGPL-2.1"]  # texts that those files only refer to


CROSS_LIBRARIES = ("libc6-dev", "libstdc++-12-dev")  # the cross compiler's own, called NAME-arm64-cross
UNPACKED = pathlib.Path(__file__).resolve().parents[3] / "build" / "sources" / "arm64" / "versions"


def versions(made_for):
    """Debian package -> version."""
    if made_for == X86_64:
        return installed_versions(LIBRARIES)
    unpacked = dict(line.split() for line in UNPACKED.read_text().splitlines())
    cross = installed_versions([f"{name}-{made_for.debian}-cross" for name in CROSS_LIBRARIES])
    return {**{name: number for name, number in unpacked.items() if name in LIBRARIES}, **cross}


def installed_versions(names):
    listed = subprocess.run(["dpkg-query", "-W", "-f=${Package} ${Version}\\n", *names],
                            capture_output=True, text=True, check=True).stdout
    return dict(line.split() for line in listed.splitlines())


def licence_texts():
    """A tree of the texts."""
    texts = {f"{name}.copyright": entry(pathlib.Path(f"/usr/share/doc/{name}/copyright").read_bytes())
             for name in LIBRARIES}
    texts.update({name: entry(pathlib.Path(f"/usr/share/common-licenses/{name}").read_bytes())
                  for name in COMMON})
    return texts


def bill_of_materials(version, program_sha256, made_for, epoch_s):
    """SPDX 2.3 as JSON."""
    def package(name, number, licence, **more):
        return {"SPDXID": f"SPDXRef-{name.replace('+', '-')}", "name": name, "versionInfo": number,
                "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
                "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more}

    packages = [package("stator", version, "Apache-2.0",
                        checksums=[{"algorithm": "SHA256", "checksumValue": program_sha256}],
                        primaryPackagePurpose="APPLICATION")]
    for name, number in sorted(versions(made_for).items()):
        cross = name.endswith("-cross")
        licence = LIBRARIES[name.removesuffix(f"-{made_for.debian}-cross")]
        reference = (f"pkg:deb/debian/{name.replace('+', '%2B')}@{number.replace('+', '%2B')}"
                     f"?arch={'all' if cross else made_for.debian}")
        packages.append(package(name, number, licence, externalRefs=[{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": reference}]))
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"stator-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/stator-{version}-{program_sha256}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch_s)),
                         "creators": ["Tool: dev release"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
             "relatedSpdxElement": "SPDXRef-stator"},
            *({"spdxElementId": "SPDXRef-stator", "relationshipType": "STATIC_LINK",
               "relatedSpdxElement": found["SPDXID"]} for found in packages[1:])],
    }
    return json.dumps(document, indent=2) + "\n"
