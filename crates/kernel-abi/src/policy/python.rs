//! Python's limited API: which names a library may use, and since when.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use kernel_spec::Version;

static TABLE: LazyLock<BTreeMap<&'static str, Version>> = LazyLock::new(|| {
    let text = include_str!("../data/python_limited_api.tsv");
    text.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
});

fn row(line: &'static str) -> Option<(&'static str, Version)> {
    let mut fields = line.split('\t');
    let (name, _kind, added) = (fields.next()?, fields.next()?, fields.next()?);
    Some((name, added.parse().ok()?))
}

/// Whether a name is one of Python's C interface.
pub fn is_python(symbol: &str) -> bool {
    let rest = symbol.strip_prefix('_').unwrap_or(symbol);
    rest.strip_prefix("Py")
        .is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_uppercase() || next == '_'))
}

/// The Python that added a name to the limited API; `None` where it is outside.
pub fn added(symbol: &str) -> Option<&'static Version> {
    TABLE.get(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        let rows =
            include_str!("../data/python_limited_api.tsv").lines().filter(|line| !line.starts_with('#'));
        assert_eq!(TABLE.len(), rows.count());
        assert_eq!(added("PyModule_Create2").map(ToString::to_string).as_deref(), Some("3.2"));
        assert!(added("PyFrame_GetBack").is_none());
        assert!(is_python("PyList_New") && is_python("_Py_NoneStruct") && is_python("Py_IncRef"));
        assert!(!is_python("Pyramid") && !is_python("python"));
    }
}
