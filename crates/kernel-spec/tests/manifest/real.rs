//! Manifests as people write them.

use kernel_spec::SourceText;
use kernel_spec::manifest::{Edition, Manifest, migrate, parse};

use crate::collection::collected;

fn with_each(judge: impl Fn(&str, &str)) {
    for (path, text) in collected() {
        judge(&path, &text);
    }
}

#[test]
fn every_collected_manifest_is_accepted_without_a_word() {
    with_each(|path, text| {
        let parsed = parse(&SourceText::new(path, text));
        assert_eq!(parsed.findings, [], "{path}");
        assert!(parsed.manifest.is_some(), "{path}");
    });
}

#[test]
fn migration_keeps_the_meaning_and_adds_one_line() {
    with_each(|path, text| {
        let before = parse(&SourceText::new(path, text)).manifest.expect(path);
        let migrated = migrate(&SourceText::new(path, text), false).expect(path);
        let after = parse(&SourceText::new(path, migrated.text.as_str())).manifest.expect(path);
        assert_eq!(after.edition, Edition::Five);
        assert_eq!(before, Manifest { edition: before.edition, ..after }, "{path}");
        if migrated.from == Edition::Five {
            assert_eq!(migrated.text, text, "{path}");
        } else {
            let others: Vec<&str> = migrated.text.lines().filter(|line| *line != "edition = 5").collect();
            assert_eq!(others, text.lines().collect::<Vec<_>>(), "{path}");
        }
        let again = migrate(&SourceText::new(path, migrated.text.as_str()), false).expect(path);
        assert_eq!(again.text, migrated.text, "{path}");
    });
}
