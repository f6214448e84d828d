//! Properties of the parser on texts nobody would write: it always ends, always says where, and what it accepts can be
//! migrated without a change of meaning.

use kernel_spec::manifest::{Edition, Manifest, migrate, parse, parse_as};
use kernel_spec::{Severity, SourceText};
use proptest::prelude::*;

use crate::mutation::{mutated, seeds};

fn judge(text: &str) -> Result<(), TestCaseError> {
    let source = SourceText::new("build.toml", text);
    let parsed = parse(&source);
    let wrong = parsed.findings.iter().any(|finding| finding.severity == Severity::Error);
    prop_assert_eq!(
        parsed.manifest.is_none(),
        wrong,
        "neither a manifest nor an error: {:?}",
        parsed.findings
    );
    for finding in &parsed.findings {
        let span = finding.span.as_ref().expect("every finding has a place");
        prop_assert!(span.bytes.0 <= span.bytes.1 && span.bytes.1 <= text.len());
        prop_assert!(!finding.help.is_empty() && !finding.message.is_empty());
    }
    for edition in [Edition::Three, Edition::Four, Edition::Five] {
        parse_as(&source, edition);
    }
    let Some(before) = parsed.manifest else { return Ok(()) };
    let migrated =
        migrate(&source, false).map_err(|findings| TestCaseError::fail(format!("{findings:?}")))?;
    let after = parse(&SourceText::new("build.toml", migrated.text)).manifest.expect("still valid");
    prop_assert_eq!(before.clone(), Manifest { edition: before.edition, ..after });
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_judged(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        judge(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn any_toml_like_text_is_judged(text in "([\\[\\]{}=.,\"'#\n a-z0-9_-]|general|torch|kernel|src|\\\\u00){0,80}") {
        judge(&text)?;
    }

    #[test]
    fn changed_manifests_are_judged(text in mutated(seeds(), 6)) {
        judge(&text)?;
    }
}
