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

/// Why a text is no path within the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// Nothing is there.
    #[error("it is empty")]
    Empty,
    /// It begins at a root or a drive.
    #[error("it is absolute")]
    Absolute,
    /// It leads out of the project.
    #[error("it leads out of the project")]
    Escapes,
    /// It separates folders with `\\`.
    #[error("it holds a backslash; folders are separated by `/`")]
    Backslash,
    /// It holds a control character.
    #[error("it holds a control character")]
    Control,
    /// It would be an option, or a file of options, on a compiler's command line.
    #[error("it begins with `-` or `@`, which compilers take for options")]
    Option,
    /// It holds a bar.
    #[error("it holds `|`, for which Ninja has no escape")]
    Bar,
}

/// The normalised form of a path that an author wrote, `.` for the project itself, or what is wrong with it on any
/// system.
pub fn confined(path: &str) -> Result<String, PathFault> {
    let bytes = path.as_bytes();
    let has_drive = bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    let is_rooted = |at: usize| matches!(bytes.get(at), None | Some(b'/' | b'\\'));
    if path.is_empty() {
        Err(PathFault::Empty)
    } else if path.chars().any(char::is_control) {
        Err(PathFault::Control)
    } else if is_rooted(0) || (has_drive && is_rooted(2)) {
        Err(PathFault::Absolute)
    } else if path.contains('\\') {
        Err(PathFault::Backslash)
    } else if path.contains('|') {
        Err(PathFault::Bar)
    } else if !is_confined(path) {
        Err(PathFault::Escapes)
    } else {
        match normalised(path) {
            path if path.starts_with(['-', '@']) => Err(PathFault::Option),
            path if path.is_empty() => Ok(".".to_owned()),
            path => Ok(path),
        }
    }
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

    #[test]
    fn what_is_wrong_with_a_path_is_said() {
        for (path, fault) in [
            ("", PathFault::Empty),
            ("/etc/passwd", PathFault::Absolute),
            ("C:/x", PathFault::Absolute),
            ("C:", PathFault::Absolute),
            ("\\\\server\\x", PathFault::Absolute),
            ("a/../../b", PathFault::Escapes),
            ("a\\b", PathFault::Backslash),
            ("a\0b", PathFault::Control),
            ("-x.cpp", PathFault::Option),
            ("./@x.cpp", PathFault::Option),
            ("a/../-x.cpp", PathFault::Option),
            ("a|b.cpp", PathFault::Bar),
        ] {
            assert_eq!(confined(path), Err(fault), "{path:?}");
        }
        assert_eq!((confined("./a/").as_deref(), confined("a/..").as_deref()), (Ok("a"), Ok(".")));
    }

    proptest! {
        #[test]
        fn normalising_twice_is_normalising_once(path in "([.a]{1,3}/){0,6}[.a]{0,3}") {
            let once = normalised(&path);
            prop_assert_eq!(normalised(&once), once);
        }
    }
}
