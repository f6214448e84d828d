//! Licences under the names that the Hub knows (its page on repository licences). Every other one is `other` there, with
//! its own name beside it.

/// What the Hub accepts as `license`, apart from the licences of single models.
static KNOWN: &[&str] = &[
    "afl-3.0",
    "agpl-3.0",
    "apache-2.0",
    "artistic-2.0",
    "bigcode-openrail-m",
    "bigscience-openrail-m",
    "bsd",
    "bsd-2-clause",
    "bsd-3-clause",
    "bsd-3-clause-clear",
    "bsl-1.0",
    "c-uda",
    "cc",
    "cc-by-2.0",
    "cc-by-2.5",
    "cc-by-3.0",
    "cc-by-4.0",
    "cc-by-nc-2.0",
    "cc-by-nc-3.0",
    "cc-by-nc-4.0",
    "cc-by-nc-nd-3.0",
    "cc-by-nc-nd-4.0",
    "cc-by-nc-sa-2.0",
    "cc-by-nc-sa-3.0",
    "cc-by-nc-sa-4.0",
    "cc-by-nd-4.0",
    "cc-by-sa-3.0",
    "cc-by-sa-4.0",
    "cc0-1.0",
    "cdla-permissive-1.0",
    "cdla-permissive-2.0",
    "cdla-sharing-1.0",
    "ecl-2.0",
    "epl-1.0",
    "epl-2.0",
    "etalab-2.0",
    "eupl-1.1",
    "eupl-1.2",
    "gfdl",
    "gpl",
    "gpl-2.0",
    "gpl-3.0",
    "isc",
    "lgpl",
    "lgpl-2.1",
    "lgpl-3.0",
    "lppl-1.3c",
    "mit",
    "mpl-2.0",
    "ms-pl",
    "ncsa",
    "odbl",
    "odc-by",
    "ofl-1.1",
    "openrail",
    "openrail++",
    "osl-3.0",
    "other",
    "pddl",
    "postgresql",
    "unknown",
    "unlicense",
    "wtfpl",
    "zlib",
];

/// The Hub's name of a licence that is written in lower case; `None` where the Hub has none.
pub(super) fn of_the_hub(licence: &str) -> Option<&'static str> {
    let base = licence.strip_suffix("-only").or_else(|| licence.strip_suffix("-or-later")).unwrap_or(licence);
    KNOWN.iter().copied().find(|known| *known == licence || *known == base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spdx_names_become_those_of_the_hub() {
        assert_eq!(of_the_hub("apache-2.0"), Some("apache-2.0"));
        assert_eq!(of_the_hub("gpl-3.0-or-later"), Some("gpl-3.0"));
        assert_eq!(of_the_hub("0bsd"), None);
        assert!(KNOWN.is_sorted());
    }
}
