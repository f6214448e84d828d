"""Read a test runner's log: show failures and skips, count what ran in each category, and hold that against a floor.

    count_tests.py LOG FLOOR STATUS

A category is a test binary, such as `kernel-core` or `kernel-builder::it`. FLOOR has one `category number` a line: fewer
tests than that in a run is a failure, because tests that vanish do not fail. A test that cannot run says why in a line
that begins with `skipped: `; one that counts what it saw says so in a line that begins with `summary: `. The last line printed is `N passed, N failed, N skipped`.
"""

import re
import sys
from collections import Counter
from pathlib import Path

NEXTEST = re.compile(r"^\s*(PASS|FAIL|SIGSEGV|SIGABRT|TIMEOUT|LEAK) \[[^]]*\] \([^)]*\) (\S+) (\S+)")
CARGO_BINARY = re.compile(r"^\s*(?:Running (?:unittests )?(\S+) \(\S*/([A-Za-z0-9_]+)-[0-9a-f]+\)|Doc-tests (\S+))")
CARGO_TEST = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)")


def read(lines):
    """Yield (category, test, passed) for every test that ran."""
    category = None
    for line in lines:
        if match := NEXTEST.match(line):
            yield match[2], match[3], match[1] in ("PASS", "LEAK")
        elif match := CARGO_BINARY.match(line):
            path, binary, documentation = match.groups()
            category = f"{documentation}::doc" if documentation else binary.replace("_", "-")
            if path and path.startswith("tests/"):
                category = f"{binary}"
        elif (match := CARGO_TEST.match(line)) and match[2] != "ignored":
            yield category, match[1], match[2] == "ok"


def floors(text):
    rows = (line.split() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return {category: int(number) for category, number in rows}


def main():
    log, floor, status = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    lines = log.read_text(errors="replace").splitlines()
    # Nextest repeats the failures in its summary.
    results = dict(((category, test), passed) for category, test, passed in read(lines))
    passed = Counter(category for (category, _), good in results.items() if good)
    failed = sorted(f"{category} {test}" for (category, test), good in results.items() if not good)
    reasons = Counter(line.strip().removeprefix("skipped: ") for line in lines if line.strip().startswith("skipped: "))

    if failed or status:
        print("\n".join(lines))
    for line in lines:
        if line.strip().startswith("summary: "):
            print(line.strip().removeprefix("summary: "))
    for reason, times in sorted(reasons.items()):
        print(f"skipped {times} times: {reason}")
    ran = Counter(category.split("::")[-1] if category.endswith("::it") else category for category, _ in results)
    low = [f"{category}: {ran[category]} tests ran, at least {least} must"
           for category, least in floors(floor.read_text()).items() if ran[category] < least]
    for category, number in sorted(ran.items()):
        print(f"{category}: {number} tests ran")
    for line in failed + low:
        print(f"failed: {line}")
    skipped = sum(reasons.values())
    print(f"{sum(passed.values()) - skipped} passed, {len(failed)} failed, {skipped} skipped")
    sys.exit(1 if failed or low or status else 0)


if __name__ == "__main__":
    main()
