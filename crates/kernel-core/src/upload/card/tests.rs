//! The card in a README: the user's text and keys stay, and a second merge changes nothing.

use proptest::prelude::*;

use super::*;

const CARD: &str =
    "---\nlicense: mit\ntags:\n  - kernel\nkernel-builder:\n  version: 2\n---\n\n# relu\n\nText.\n";

fn merged(there: Option<&str>) -> String {
    merge(CARD, there).expect("merged")
}

#[test]
fn a_first_card_is_whole() {
    insta::assert_snapshot!(merged(None));
}

#[test]
fn the_users_text_and_keys_stay() {
    let there =
        "---\nkernel-builder:\n  version: 1\ntags:\n  - mine\nbase_model: x\n---\n# My own\n\nBefore.\n\n";
    let first = merged(Some(there));
    insta::assert_snapshot!(first);
    assert_eq!(merged(Some(&first)), first, "a second time changes nothing");
    let edited = format!("{first}\nAfter.\n").replace("Text.", "An older text.");
    assert_eq!(merged(Some(&edited)), format!("{first}\nAfter.\n"));
}

#[test]
fn odd_texts_are_kept() {
    for there in ["", "---\nnever closed", "no front-matter\n", "---\n---\n"] {
        let text = merged(Some(there));
        assert_eq!(merged(Some(&text)), text, "{there:?}");
        assert!(there == "---\n---\n" || text.contains(there), "{text}");
    }
}

/// The front-matter keeps its meaning however its lines end, and no key of the user's is added a second time.
#[test]
fn a_front_matter_stays_one() {
    for there in [
        "---\r\nlicense: apache-2.0\r\ngated: true\r\n---\r\n# mine\r\n",
        "\u{feff}---\nlicense: apache-2.0\ngated: true\n---\n# mine\n",
        "--- \nlicense: apache-2.0\ngated: true\n---  \n# mine\n",
        "---\n\"license\": apache-2.0\n'gated': true\n...\n# mine\n",
        "\n---\nlicense : apache-2.0\ngated: true\n---",
    ] {
        let text = merged(Some(there));
        let parts = parts(&text);
        let keys: Vec<&str> =
            entries(parts.inside).expect("keys").into_iter().map(|entry| entry.key).collect();
        assert_eq!(keys, ["license", "gated", "tags", "kernel-builder"], "{text}");
        assert!(!text.contains(": mit") && !parts.rest.contains("apache"), "{text}");
        let ends = text.matches("\r\n").count();
        assert!(ends == 0 || ends == text.matches('\n').count(), "one kind of line end: {text:?}");
        assert_eq!(merged(Some(&text)), text, "{there:?}");
    }
}

#[test]
fn a_mark_inside_a_line_is_a_quotation() {
    let Marks { begin, end } = MARKS;
    for there in [
        format!("# mine\n\nText about `{end}`.\n"),
        format!("# mine\n\nquoting {begin} here\n\nmy own paragraph\n"),
    ] {
        let text = merged(Some(&there));
        assert!(text.contains(&there), "{text}");
        assert_eq!(merged(Some(&text)), text);
    }
    let quoting = CARD.replace("Text.", &format!("The line `{end}` ends it."));
    let text = merge(&quoting, None).expect("merged");
    assert_eq!(merge(&quoting, Some(&text)).expect("merged"), text);
}

#[test]
fn what_is_not_sure_to_be_ours_is_refused_with_its_lines() {
    let Marks { begin, end } = MARKS;
    let refused = |card: &str, there: &str| merge(card, Some(there)).expect_err("refused").to_string();
    insta::assert_snapshot!(
        [
            refused(CARD, &format!("---\na: 1\n---\nuser\n{begin}\nold\n\nuser more\n")),
            refused(CARD, &format!("{end}\n{begin}\n")),
            refused(CARD, &format!("{begin}\none\n{end}\nuser\n{begin}\ntwo\n{end}\n")),
            refused(CARD, "---\n{license: mit, tags: [a]}\n---\n# x\n"),
            refused(CARD, "---\n\nOnly words between two rules.\n\n---\n"),
            refused("---\n[a]\n---\n", ""),
            refused(&format!("{CARD}\n{end}\n"), ""),
        ]
        .join("\n")
    );
}

#[test]
fn a_remark_after_our_keys_stays() {
    let text = merged(Some("---\na: 1\nkernel-builder:\n  version: 1\n# mine\nb: 2\n---\n"));
    assert!(text.starts_with("---\na: 1\n# mine\nb: 2\nlicense: mit\n"), "{text}");
}

/// A README of lines that matter here.
fn readmes() -> impl Strategy<Value = String> {
    let Marks { begin, end } = MARKS;
    let line = prop::sample::select(vec![
        "---".to_owned(),
        "--- ".to_owned(),
        "...".to_owned(),
        String::new(),
        " ".to_owned(),
        "license: apache-2.0".to_owned(),
        "\"tags\":".to_owned(),
        "- mine".to_owned(),
        "  more: x".to_owned(),
        "kernel-builder:".to_owned(),
        "# title".to_owned(),
        "words".to_owned(),
        format!("`{begin}`"),
        format!("words {end}"),
        begin.to_owned(),
        format!(" {end} "),
    ]);
    let ends = prop::sample::select(vec!["\n", "\r\n"]);
    let first = prop::sample::select(vec!["", "\u{feff}", "---\nlicense: x\n---\n"]);
    (first, prop::collection::vec((line, ends), 0..12), any::<bool>()).prop_map(|(first, lines, is_cut)| {
        let mut text = first.to_owned();
        for (line, end) in &lines {
            text.extend([line.as_str(), end]);
        }
        if is_cut {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_second_merge_changes_nothing_and_the_rest_stays(there in readmes()) {
        let Ok(text) = merge(CARD, Some(&there)) else { return Ok(()) };
        prop_assert_eq!(&merge(CARD, Some(&text)).expect("merged again"), &text);
        let (user, whole) = (parts(&there), parts(&text));
        let part = MARKS.find(user.rest).expect("sound");
        let ours = part.map_or(user.rest.len()..user.rest.len(), |part| part.whole);
        let (before, after) = (&user.rest[..ours.start], &user.rest[ours.end..]);
        prop_assert!(whole.rest.starts_with(before) && whole.rest.ends_with(after), "{:?} -> {:?}", there, text);
        prop_assert_eq!(text.matches("# relu").count(), 1);
        let keys = entries(whole.inside).expect("keys");
        for entry in entries(user.inside).expect("keys").iter().filter(|entry| entry.key != OWN) {
            prop_assert!(keys.iter().any(|kept| kept.key == entry.key && kept.lines.starts_with(entry.lines)), "{:?} -> {:?}", there, text);
        }
    }
}
