//! The word a user probably meant: one rule of nearness for keys, values and names, so that every message guesses
//! alike.

/// The candidate nearest to `word`, if one is near enough to be meant: equal but for case and `-`/`_`, or within a
/// third of its letters by Damerau–Levenshtein distance. Of equally near ones the first.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // No word of ours is that long, and distance is quadratic.
    if word.len() > 100 {
        return None;
    }
    let plain = normalised(word);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let candidate_plain = normalised(candidate);
        let (length, candidate_length) = (plain.chars().count(), candidate_plain.chars().count());
        let allowed = (candidate_length.max(length) / 3).clamp(1, 4);
        // Words differ at least by their lengths, and most of a long list is ruled out by that alone.
        if length.abs_diff(candidate_length) > allowed {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&plain, &candidate_plain);
        if distance <= allowed && best.is_none_or(|(nearest, _)| distance < nearest) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn normalised(word: &str) -> String {
    word.trim().to_lowercase().replace('_', "-")
}

/// Fewest letters of a name that another can be told to imitate: short names are near each other by chance.
const SHORTEST: usize = 5;

/// Whether a name could be taken for a known one: it is one letter added, left out, replaced or swapped away, or reads the
/// same.
pub fn imitates(name: &str, known: &str) -> bool {
    let read = |name: &str| {
        let letters = name.to_lowercase().replace(['_', '-', '.'], "").replace("rn", "m").replace("vv", "w");
        letters.replace('0', "o").replace(['1', 'i', '|'], "l").replace('5', "s")
    };
    let (length, known_length) = (name.chars().count(), known.chars().count());
    if name == known || known_length < SHORTEST || length.abs_diff(known_length) > 3 {
        return false;
    }
    strsim::damerau_levenshtein(&name.to_lowercase(), &known.to_lowercase()) <= 1 || read(name) == read(known)
}

/// Words as a list for people: `a`, `b` and `c`, each in backticks.
pub fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_be_taken_for_another_are_found() {
        let known = "kernels-community";
        for name in [
            "kernels-comunity",
            "kernel-community",
            "kernels-communityy",
            "kernels-cmomunity",
            "kernels_community",
            "Kernels-Community",
            "kerne1s-cornmunity",
            "kernels-community2",
            "kernelscommunity",
        ] {
            assert!(imitates(name, known), "{name}");
        }
        for name in [known, "kernels", "community", "kernels-company", "kernels-committee"] {
            assert!(!imitates(name, known), "{name}");
        }
        assert!(!imitates("abd", "abc"), "short names are near each other by chance");
    }

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let keys = ["license", "name", "version", "cuda-capabilities", "src"];
        for (word, meant) in [
            ("licence", Some("license")),
            ("cuda_capabilities", Some("cuda-capabilities")),
            ("CUDA-Capabilites", Some("cuda-capabilities")),
            ("nmae", Some("name")),
            ("scr", Some("src")),
            ("frobnicate", None),
            ("", None),
        ] {
            assert_eq!(closest(word, keys), meant, "{word:?}");
        }
        assert_eq!(closest(&"x".repeat(5000), keys), None);
    }
}
