//! Relative paths as a manifest writes them: one file must have one spelling before anything compares or hashes it.

/// A relative path without `.`, empty parts and `x/..`. Leading `..` are kept: a path that leaves the project must stay
/// recognisable as one.
pub fn normalised(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Whether a path stays inside the directory it is relative to, without looking at the disk.
pub fn is_confined(path: &str) -> bool {
    let normalised = normalised(path);
    !path.starts_with('/') && !path.contains('\0') && normalised != ".." && !normalised.starts_with("../")
}

/// A path below a directory, both relative and normalised.
pub fn join(directory: &str, path: &str) -> String {
    normalised(&format!("{directory}/{path}"))
}

/// The directory a relative path is in; empty for the top.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_file_has_one_spelling() {
        for spelling in ["demo/demo.cpp", "demo/./demo.cpp", "./demo//demo.cpp", "demo/x/../demo.cpp"] {
            assert_eq!(normalised(spelling), "demo/demo.cpp");
        }
        assert_eq!(normalised("."), "");
        assert_eq!(join("a/b", "../c.h"), "a/c.h");
        assert_eq!(join("", "../c.h"), "../c.h");
        assert_eq!((parent("a/b"), parent("b")), ("a", ""));
    }

    #[test]
    fn leaving_is_seen() {
        for path in ["/etc/passwd", "..", "../x", "a/../../x", "a\0b"] {
            assert!(!is_confined(path), "{path:?}");
        }
        for path in ["", ".", "a/..", "..a/x", "a/../b"] {
            assert!(is_confined(path), "{path:?}");
        }
    }

    proptest! {
        #[test]
        fn normalising_twice_is_normalising_once(path in "([.a]{1,3}/){0,6}[.a]{0,3}") {
            let once = normalised(&path);
            prop_assert_eq!(normalised(&once), once);
        }
    }
}
