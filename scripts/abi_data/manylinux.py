"""manylinux policies, from the policy file inside the `auditwheel` package.

Policies only ever grow (auditwheel itself insists on that), so each version
and library is written once with the oldest policy that allows it.
"""

import json
import pathlib

from .packages import Packages


def update(packages: Packages, crates: pathlib.Path) -> list[pathlib.Path]:
    wheel = packages.wheel("auditwheel")
    policies = json.loads(wheel.read("auditwheel/policy/manylinux-policy.json"))
    policies = [policy for policy in policies if policy["name"] != "linux"]
    policies.sort(key=lambda policy: -policy["priority"])
    table = {
        "provenance": [wheel.provenance("MIT")],
        "policies": [
            {
                "name": policy["name"],
                "aliases": policy["aliases"],
                "architectures": sorted(policy["symbol_versions"]),
            }
            for policy in policies
        ],
        "libraries": first_policy((policy["name"], policy["lib_whitelist"]) for policy in policies),
        "forbidden": forbidden(policies),
        "versions": versions(policies),
    }
    path = crates / "kernel-abi/src/data/manylinux.json"
    path.write_text(json.dumps(table, indent=1) + "\n")
    return [path]


def first_policy(named_lists) -> dict[str, str]:
    """For each entry, the oldest policy that lists it; fails if a newer one drops it."""
    first, before = {}, set()
    for name, entries in named_lists:
        if before - set(entries):
            raise ValueError(f"{name} drops {before - set(entries)}")
        before = set(entries)
        for entry in entries:
            first.setdefault(entry, name)
    return dict(sorted(first.items()))


def versions(policies: list[dict]) -> dict:
    table = {}
    for architecture in sorted({name for policy in policies for name in policy["symbol_versions"]}):
        known = [(p["name"], p["symbol_versions"][architecture]) for p in policies if architecture in p["symbol_versions"]]
        if any(set(prefixes) != set(known[0][1]) for _, prefixes in known):
            raise ValueError(f"{architecture}: a policy judges version names that an older one ignores")
        table[architecture] = {
            prefix: by_number(first_policy((name, prefixes[prefix]) for name, prefixes in known))
            for prefix in sorted(known[0][1])
        }
    return table


def by_number(table: dict[str, str]) -> dict[str, str]:
    def key(version: str):
        return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in version.replace("_", ".").split(".")]

    return {version: table[version] for version in sorted(table, key=key)}


def forbidden(policies: list[dict]) -> dict[str, dict[str, str | None]]:
    """Per library and symbol: the oldest policy that no longer forbids it, or null."""
    table: dict[str, dict[str, str | None]] = {}
    for older, newer in zip(policies, policies[1:] + [None]):
        for library, symbols in older["blacklist"].items():
            for symbol in symbols:
                still = newer is None or symbol in newer["blacklist"].get(library, [])
                table.setdefault(library, {})[symbol] = None if still else newer["name"]
    for older, newer in zip(policies, policies[1:]):
        for library, symbols in newer["blacklist"].items():
            if set(symbols) - set(older["blacklist"].get(library, [])):
                raise ValueError(f"{newer['name']} forbids symbols of {library} that an older policy allows")
    return {library: dict(sorted(symbols.items())) for library, symbols in sorted(table.items())}
