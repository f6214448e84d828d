//! Manifests as people write them.

use kernel_spec::SourceText;
use kernel_spec::manifest::{Edition, Manifest, migrate, parse};

/// The collected manifests, or a reason why they are not here.
pub(crate) fn collected() -> Result<Vec<(String, String)>, String> {
    let shared = std::env::var("KERNEL_BUILDER_SHARED")
        .unwrap_or_else(|_| format!("{}/../../../shared", env!("CARGO_MANIFEST_DIR")));
    let directory = format!("{shared}/cases/manifests");
    let entries = fs_err::read_dir(&directory).map_err(|error| format!("{directory}: {error}"))?;
    let mut manifests = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        let text = fs_err::read_to_string(&path).map_err(|error| error.to_string())?;
        manifests.push((path.display().to_string(), text));
    }
    manifests.sort();
    Ok(manifests)
}

/// Calls `judge` with each collected manifest; says so where there are none.
fn with_each(judge: impl Fn(&str, &str)) {
    let manifests = match collected() {
        Ok(manifests) => manifests,
        Err(reason) => {
            eprintln!("skipped: {reason}");
            return;
        }
    };
    assert!(manifests.len() >= 26, "only {} manifests were found", manifests.len());
    for (path, text) in manifests {
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
