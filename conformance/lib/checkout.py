"""Where the checkout is that a suite belongs to, at whatever depth the suite lies."""

from pathlib import Path

ROOT = next(folder for folder in Path(__file__).resolve().parents if (folder / "CMakeLists.txt").exists())
CONFORMANCE = ROOT / "conformance"
