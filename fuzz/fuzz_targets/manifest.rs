//! The manifest's reader: whatever the bytes are, there is a manifest or a finding that says why not, and every place
//! lies in the text.

#![no_main]

use kernel_spec::manifest::{Edition, migrate, parse, parse_as};
use kernel_spec::{Severity, SourceText};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = SourceText::new("build.toml", String::from_utf8_lossy(bytes).as_ref());
    let parsed = parse(&source);
    let faulty = parsed.findings.iter().any(|finding| finding.severity == Severity::Error);
    assert_eq!(parsed.manifest.is_none(), faulty, "no manifest and no error, or both");
    for span in parsed.findings.iter().filter_map(|finding| finding.span.as_ref()) {
        let (start, end) = span.bytes;
        assert!(source.text().get(start..end).is_some(), "a place outside the text");
    }
    for edition in [Edition::Three, Edition::Four, Edition::Five] {
        parse_as(&source, edition);
    }
    for from_three in [false, true] {
        if let Ok(migration) = migrate(&source, from_three) {
            let migrated = SourceText::new("build.toml", migration.text);
            assert!(parse(&migrated).manifest.is_some(), "migrated to what cannot be read");
        }
    }
});
