//! The peer's own vectors of the selection, and what must hold for any list.

use proptest::prelude::*;

use super::*;

const BEFORE_12_8: &str = "7.0 7.2 7.5 8.0 8.6 8.7 8.9 9.0+PTX";
const FROM_12_8: &str = "7.0 7.2 7.5 8.0 8.6 8.7 8.9 9.0 10.0 10.1 12.0+PTX";
const FROM_13_0: &str = "7.5 8.0 8.6 8.7 8.9 9.0 10.0 11.0 12.0 12.1+PTX";

fn capabilities(text: &str) -> Vec<Capability> {
    text.split_whitespace().map(|entry| entry.parse().expect("a capability")).collect()
}

fn kept(listed: &str, defaults: &str) -> String {
    let selection = select_cuda(&capabilities(listed), &capabilities(defaults));
    selection.kept.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_selection_gives_the_known_results() {
    for (listed, on_12_6, on_12_8, on_13) in [
        ("9.0 9.0a", "9.0a", "9.0a", "9.0a"),
        ("8.0 9.0a 10.0a", "8.0 9.0a", "8.0 9.0a 10.0a", "8.0 9.0a 10.0a"),
        ("9.0 10.0 12.0", "9.0", "9.0 10.0 12.0", "9.0 10.0 12.0"),
        ("5.0 7.5 8.0 9.0", "7.5 8.0 9.0", "7.5 8.0 9.0", "7.5 8.0 9.0"),
        ("8.0+PTX", "8.0+PTX", "8.0+PTX", "8.0+PTX"),
        ("10.0f", "", "10.0f", "10.0f"),
        ("10.0a 12.0a", "", "10.0a 12.0a", "10.0a 12.0a"),
        ("10.0a 12.0", "", "10.0a 12.0", "10.0a 12.0"),
        (
            "8.0 8.6 8.7 8.9 9.0 10.0 10.1 11.8 12.0",
            "8.0 8.6 8.7 8.9 9.0",
            "8.0 8.6 8.7 8.9 9.0 10.0 10.1 12.0",
            "8.0 8.6 8.7 8.9 9.0 10.0 12.0",
        ),
        ("9.0a+PTX", "9.0a+PTX", "9.0a+PTX", "9.0a+PTX"),
    ] {
        assert_eq!(kept(listed, BEFORE_12_8), on_12_6, "{listed} on 12.6");
        assert_eq!(kept(listed, FROM_12_8), on_12_8, "{listed} on 12.8");
        assert_eq!(kept(listed, FROM_13_0), on_13, "{listed} on 13");
    }
}

#[test]
fn nothing_listed_means_the_defaults_with_their_marks() {
    assert_eq!(kept("", FROM_13_0), FROM_13_0);
}

#[test]
fn every_dropped_capability_has_its_own_reason() {
    let selection = select_cuda(
        &capabilities("5.0 9.0 9.0a 10.1 10.0 10.0+PTX 12.0f 8.1 8.0"),
        &capabilities("8.0 8.6 9.0 10.0"),
    );
    let dropped: Vec<String> =
        selection.dropped.iter().map(|dropped| format!("{}: {}", dropped.target, dropped.reason)).collect();
    assert_eq!(
        dropped,
        [
            "5.0: the toolkit builds no 5.x target from 5.0 on",
            "9.0: 9.0a is built for 9.0 instead",
            "10.1: the toolkit builds no 10.x target from 10.1 on",
            "12.0f: the toolkit does not build 12.0",
        ]
    );
    let renamed = select_cuda(&capabilities("9.0 10.1a"), &capabilities(FROM_13_0));
    assert_eq!(renamed.dropped[0].reason, "this toolkit calls 10.1 by its new name 11.0");
    let nearer = select_cuda(&capabilities("8.1 8.6"), &capabilities("8.0 8.6"));
    assert_eq!(nearer.dropped[0].reason, "a listed capability nearer to each 8.x target is built instead");
}

#[test]
fn rocm_targets_are_intersected_in_text_order() {
    let targets = |text: &str| -> Vec<GfxTarget> {
        text.split_whitespace().map(|entry| entry.parse().expect("a target")).collect()
    };
    let selection =
        select_rocm(&targets("gfx942 gfx906 gfx1030 gfx803 gfx942"), &targets("gfx906 gfx942 gfx1030"));
    assert_eq!(selection.kept, targets("gfx1030 gfx906 gfx942"));
    assert_eq!(selection.dropped[0].target.as_str(), "gfx803");
    assert_eq!(select_rocm(&[], &targets("gfx942 gfx1030")).kept, targets("gfx1030 gfx942"));
}

#[test]
fn other_texts_are_refused() {
    for text in
        ["", "9", "9.", ".0", "9.0b", "9.0A", "9.0af", "09.0", "9.00", "9.0+ptx", "sm_90", "9.0 ", "+9.0"]
    {
        assert!(text.parse::<Capability>().is_err(), "{text:?} was taken");
    }
    for text in ["gfx", "gfx9", "gfx90A", "gfx90g", "90a", "gfx90a:xnack+", "gfx123456"] {
        assert!(text.parse::<GfxTarget>().is_err(), "{text:?} was taken");
    }
}

fn capability() -> impl Strategy<Value = Capability> {
    let feature = prop::sample::select(vec![None, None, Some(Feature::Architecture), Some(Feature::Family)]);
    (5u32..14, 0u32..10, feature, any::<bool>()).prop_map(|(major, minor, feature, ptx)| Capability {
        major,
        minor,
        feature,
        ptx,
    })
}

proptest! {
    #[test]
    fn display_and_parse_are_inverse(capability in capability()) {
        prop_assert_eq!(capability.to_string().parse(), Ok(capability));
    }

    #[test]
    fn every_listed_capability_is_kept_or_dropped_once(
        listed in prop::collection::vec(capability(), 1..12),
        defaults in prop::sample::select(vec![BEFORE_12_8, FROM_12_8, FROM_13_0]),
    ) {
        let selection = select_cuda(&listed, &capabilities(defaults));
        let mut seen: Vec<Capability> = selection.kept.iter().map(|kept| kept.without_ptx()).collect();
        seen.extend(selection.dropped.iter().map(|dropped| dropped.target.without_ptx()));
        seen.sort();
        let listed: BTreeSet<Capability> = listed.iter().map(|listed| listed.without_ptx()).collect();
        prop_assert_eq!(seen, listed.into_iter().collect::<Vec<_>>());
        prop_assert!(selection.kept.is_sorted());
    }
}
