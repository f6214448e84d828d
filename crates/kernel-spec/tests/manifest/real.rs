//! Manifests as people write them.

use kernel_spec::manifest::parse;
use kernel_spec::{Severity, SourceText};

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

#[test]
fn every_collected_manifest_is_accepted_without_an_error() {
    let manifests = match collected() {
        Ok(manifests) => manifests,
        Err(reason) => {
            eprintln!("skipped: {reason}");
            return;
        }
    };
    assert!(manifests.len() >= 26, "only {} manifests were found", manifests.len());
    for (path, text) in manifests {
        let parsed = parse(&SourceText::new(path.clone(), text));
        let errors: Vec<_> = parsed.findings.iter().filter(|f| f.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{path}: {errors:#?}");
        assert!(parsed.manifest.is_some(), "{path}");
    }
}
