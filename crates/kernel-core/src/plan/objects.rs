//! Names of objects. An object lies in a folder of its component, under the source's own folders: sources of one name
//! in different folders, and one source in two components, never share an object.

use sha2::{Digest, Sha256};

/// Longest part of a path that is kept as it is, in bytes. File systems allow 255; `.o.d` and temporary suffixes of
/// compilers need some.
const LONGEST: usize = 200;

/// The object of a source of a component, relative to the variant's build directory.
pub(super) fn object(component: &str, source: &str) -> String {
    let folders: Vec<String> = source.split('/').map(part).collect();
    format!("objects/{}/{}.o", part(component), folders.join("/"))
}

/// One part of a path: shortened by a hash where it is too long, and never one that means another folder.
fn part(text: &str) -> String {
    let ambiguous = text.is_empty() || text.starts_with('.') || text.contains(['/', '\\', '\0']);
    if text.len() <= LONGEST && !ambiguous {
        return text.to_owned();
    }
    let digest = Sha256::digest(text.as_bytes());
    let digest: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let kept: String =
        text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-' || *c == '_').take(60).collect();
    format!("{kept}~{digest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn objects_are_distinct() {
        let long = format!("a/{}.cpp", "n".repeat(250));
        let longer = format!("a/{}.cc", "n".repeat(250));
        let pairs = [
            ("kernel.p", "a/k.cpp"),
            ("kernel.p", "b/k.cpp"),
            ("kernel.p", "a/k.cc"),
            ("kernel.q", "a/k.cpp"),
            ("kernel...", "a/k.cpp"),
            ("kernel.a/b", "k.cpp"),
            ("kernel.a", "b/k.cpp"),
            ("torch", ".a/k.cpp"),
            ("torch", "a/k.cpp"),
            ("torch", &long),
            ("torch", &longer),
        ];
        let objects: BTreeSet<String> =
            pairs.iter().map(|(component, source)| object(component, source)).collect();
        assert_eq!(objects.len(), pairs.len());
        for object in objects {
            assert!(object.starts_with("objects/") && !object.contains("/../"), "{object}");
            assert!(object.split('/').all(|part| part.len() <= 255), "{object}");
        }
    }
}
