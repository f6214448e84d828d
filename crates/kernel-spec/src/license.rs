//! Which licence identifiers are known. The format takes any string; the Hub shows only identifiers from its own list,
//! and SPDX is what everybody else reads, so either is good and anything else is probably a slip.

/// Identifiers of the Hub that are not SPDX identifiers.
static HUB: &[&str] = &[
    "apple-amlr",
    "apple-ascl",
    "bigcode-openrail-m",
    "bigscience-bloom-rail-1.0",
    "bigscience-openrail-m",
    "bsd",
    "bsl-1.0",
    "cc",
    "cc-by-nc-nd-4.0",
    "creativeml-openrail-m",
    "deepfloyd-if-license",
    "fair-noncommercial-research-license",
    "gemma",
    "gfdl",
    "gpl",
    "grok2-community",
    "h-research",
    "intel-research",
    "lgpl",
    "lgpl-lr",
    "llama2",
    "llama3",
    "llama3.1",
    "llama3.2",
    "llama3.3",
    "llama4",
    "open-mdw",
    "openmdw-1.0",
    "openrail",
    "openrail++",
    "other",
    "pddl",
    "unknown",
];

/// Whether the Hub or SPDX knows this identifier, or every identifier of this SPDX expression. Case does not matter.
pub fn is_known(license: &str) -> bool {
    let lowered = license.to_ascii_lowercase();
    HUB.contains(&lowered.as_str())
        || spdx_ids().any(|id| id.eq_ignore_ascii_case(license))
        || spdx::Expression::parse(license).is_ok()
}

/// The licence as an SPDX expression, where it is one; identifiers are taken in any case.
pub fn as_spdx(license: &str) -> Option<String> {
    let id = spdx_ids().find(|id| id.eq_ignore_ascii_case(license)).map(str::to_owned);
    id.or_else(|| spdx::Expression::parse(license).ok().map(|_| license.to_owned()))
}

/// The known identifier nearest to a text.
pub fn closest(license: &str) -> Option<&'static str> {
    crate::suggest::closest(license, spdx_ids().chain(HUB.iter().copied()))
}

fn spdx_ids() -> impl Iterator<Item = &'static str> {
    spdx::identifiers::LICENSES.iter().map(|license| license.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_of_both_lists_and_expressions_are_known() {
        for license in
            ["Apache-2.0", "apache-2.0", "MIT", "gemma", "Apache-2.0 OR MIT", "BSD-3-Clause", "other"]
        {
            assert!(is_known(license), "{license}");
        }
        for license in ["", "Apache", "MIT licence", "LICENSE", "my own"] {
            assert!(!is_known(license), "{license}");
        }
        assert_eq!(closest("Apache2.0"), Some("Apache-2.0"));
    }
}
