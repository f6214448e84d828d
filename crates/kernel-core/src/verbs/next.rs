//! The command that usually comes after one that went well.

use camino::Utf8Path;

/// The words of it: what to do, where, and with which Python, as far as these were named.
pub(super) fn command(verb: &[&str], directory: &Utf8Path, python: Option<&str>) -> Vec<String> {
    let mut words = vec!["kernel-builder".to_owned()];
    words.extend(verb.iter().map(|word| (*word).to_owned()));
    words.extend((directory != ".").then(|| directory.to_string()));
    words.extend(python.iter().flat_map(|python| ["--python".to_owned(), (*python).to_owned()]));
    words
}
