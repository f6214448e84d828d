//! What a wrong variant name may have meant.

use crate::Variant;

/// How many names are proposed.
const PROPOSALS: usize = 3;

/// The variants whose names are nearest to `name`, best first: those that share most of its parts, then those with
/// the fewest edits. Names that share nothing with it are not proposed.
pub fn closest(name: &str, variants: impl IntoIterator<Item = Variant>) -> Vec<Variant> {
    // A name longer than any variant's only costs time.
    let name: String = name.chars().take(128).collect();
    let mut ranked: Vec<(usize, usize, Variant)> = variants
        .into_iter()
        .map(|variant| {
            (
                different_parts(&name, &variant.to_string()),
                strsim::levenshtein(&name, &variant.to_string()),
                variant,
            )
        })
        .filter(|(different, edits, variant)| {
            *different < variant.to_string().split('-').count() || *edits < name.chars().count()
        })
        .collect();
    ranked.sort();
    ranked.truncate(PROPOSALS);
    ranked.into_iter().map(|(_, _, variant)| variant).collect()
}

fn different_parts(name: &str, candidate: &str) -> usize {
    let parts: Vec<&str> = name.split('-').collect();
    candidate.split('-').filter(|part| !parts.contains(part)).count()
}
