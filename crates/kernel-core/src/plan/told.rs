//! Which sources must be told the id while they are preprocessed. The id is data in the identity unit, so that a new
//! one costs no compile; only a source that uses its macro outside our own registration macros, or comes with a
//! `registration.h` of its own, needs the real definition and is compiled again when the id changes.

use std::collections::BTreeSet;

use super::language::{FileKind, kind};

/// Macros of our `registration.h` that take the word unexpanded.
static REGISTRATION: &[&str] = &[
    "TORCH_LIBRARY_EXPAND",
    "TORCH_LIBRARY_IMPL_EXPAND",
    "TORCH_LIBRARY_FRAGMENT_EXPAND",
    "STABLE_TORCH_LIBRARY_EXPAND",
    "STABLE_TORCH_LIBRARY_IMPL_EXPAND",
    "STABLE_TORCH_LIBRARY_FRAGMENT_EXPAND",
    "REGISTER_EXTENSION",
];

/// The sources among `files` (path and text) that need the macro. A header that does counts for all of them.
pub fn sources<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>, word: &str) -> BTreeSet<String> {
    let mut sources = BTreeSet::new();
    let mut using = BTreeSet::new();
    let mut by_header = false;
    for (path, text) in files {
        let uses = uses(text, word);
        match kind(path) {
            FileKind::Source(_) => {
                sources.insert(path.to_owned());
                if uses {
                    using.insert(path.to_owned());
                }
            }
            FileKind::Header | FileKind::Unknown => {
                by_header |= uses || path.rsplit('/').next() == Some("registration.h");
            }
        }
    }
    if by_header { sources } else { using }
}

/// Whether a text uses the word other than as the first argument of a registration macro.
fn uses(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let continues = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let longer = text[at + word.len()..].starts_with(continues) || text[..at].ends_with(continues);
        let before = text[..at].trim_end();
        let registration = before
            .strip_suffix('(')
            .map(str::trim_end)
            .is_some_and(|call| REGISTRATION.iter().any(|name| word_before(call) == *name));
        !longer && !registration
    })
}

fn word_before(text: &str) -> &str {
    let start = text.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: &str = "TORCH_EXTENSION_NAME";

    #[test]
    fn only_other_uses_need_the_macro() {
        for text in [
            "TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) {}",
            "STABLE_TORCH_LIBRARY_IMPL_EXPAND ( TORCH_EXTENSION_NAME , CPU, ops) {}",
            "REGISTER_EXTENSION(\n  TORCH_EXTENSION_NAME)",
            "int MY_TORCH_EXTENSION_NAMES;",
            "",
        ] {
            assert!(!uses(text, WORD), "{text}");
        }
        for text in [
            "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}",
            "auto n = STRINGIFY(TORCH_EXTENSION_NAME);",
            "TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {}",
            "NOT_REGISTER_EXTENSION(TORCH_EXTENSION_NAME)",
            "ä(TORCH_EXTENSION_NAME)",
        ] {
            assert!(uses(text, WORD), "{text}");
        }
    }

    #[test]
    fn a_header_counts_for_every_source() {
        let one = ("a.cpp", "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)");
        assert_eq!(sources([one, ("b.cpp", "")], WORD), BTreeSet::from(["a.cpp".to_owned()]));
        let all = BTreeSet::from(["a.cpp".to_owned(), "b.cpp".to_owned()]);
        let own = ("torch-ext/registration.h", "#define REGISTER_EXTENSION(NAME)");
        assert_eq!(sources([("a.cpp", ""), ("b.cpp", ""), own], WORD), all);
    }
}
