//! Names of repositories on the Hub: `owner/name`. They become parts of URLs, so their form is checked.

use super::reader::Reader;
use crate::{Located, code};

/// Whether a text has the form of a repository's name; if not, a finding says so.
pub(super) fn check(reader: &mut Reader<'_>, id: &Located<String>, key: &str) -> bool {
    let valid = is_valid(id);
    if !valid {
        let message = format!("`{key}` is `{}`, which is no repository on the Hub", id.value.escape_debug());
        reader.error(&code::manifest::REPO_ID, &id.bytes, message);
    }
    valid
}

/// `owner/name`, each of at most 96 letters, digits, `-`, `_` and `.`, neither beginning nor ending with `-` or `.`.
pub fn is_valid(id: &str) -> bool {
    let part = |text: &str| {
        let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !text.is_empty()
            && text.len() <= 96
            && text.chars().all(inner)
            && !text.starts_with(['-', '.'])
            && !text.ends_with(['-', '.'])
            && !text.contains("..")
            && !text.contains("--")
    };
    id.split_once('/').is_some_and(|(owner, name)| part(owner) && part(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_an_owner_and_a_name() {
        for id in ["kernels-community/relu", "a/b", "Owner_1/na.me-2"] {
            assert!(is_valid(id), "{id}");
        }
        for id in ["", "relu", "a/b/c", "a/", "/b", "a/..", "a b/c", "a/b?c", "a/-b", "ä/b"] {
            assert!(!is_valid(id), "{id}");
        }
    }
}
