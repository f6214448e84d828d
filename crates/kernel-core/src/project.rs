//! A kernel's project: its directory and its manifest. `build.toml` is read here and nowhere else, once in a run.

use std::io::ErrorKind;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::manifest::{Manifest, parse};
use kernel_spec::{Event, Finding, Severity, SourceText, code};

use crate::{Context, Error, Result, regular};

/// Name of the manifest.
pub const MANIFEST: &str = "build.toml";

/// No manifest that people write comes near this size in bytes.
const LARGEST: u64 = 16 << 20;

/// A project whose manifest is valid.
#[derive(Clone, Debug)]
pub struct Project {
    /// Its directory, absolute.
    pub directory: Utf8PathBuf,
    /// The text of its manifest; its path is as the user would name it.
    pub source: SourceText,
    /// What the manifest says.
    pub manifest: Manifest,
}

impl Project {
    /// Reads the manifest in `directory`, which may be relative to the working directory. Its warnings are remarks on
    /// the way; its errors are returned all together.
    pub fn open(context: &Context, directory: &Utf8Path) -> Result<Self> {
        let source = read(context, directory)?;
        let parsed = parse(&source);
        let Some(manifest) = parsed.manifest else {
            return Err(invalid(&source, parsed.findings));
        };
        for finding in parsed.findings {
            context.sink.event(&Event::Finding(finding));
        }
        Ok(Self { directory: context.resolve(directory).components().collect(), source, manifest })
    }
}

/// Whether a directory is meant to be a project: something has the manifest's name, whether or not it can be read.
pub fn is_there(directory: &Utf8Path) -> bool {
    fs_err::symlink_metadata(directory.join(MANIFEST)).is_ok()
}

/// The text of the manifest in `directory`.
pub fn read(context: &Context, directory: &Utf8Path) -> Result<SourceText> {
    let shown = directory.join(MANIFEST);
    let shown = shown.strip_prefix(".").unwrap_or(&shown);
    match regular::start(&context.resolve(directory).join(MANIFEST), LARGEST + 1) {
        Ok(bytes) => text(shown, bytes),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(Error::NoManifest { directory: directory.to_owned() })
        }
        Err(source) => Err(Error::UnreadableManifest { path: shown.to_owned(), source }),
    }
}

fn text(shown: &Utf8Path, bytes: Vec<u8>) -> Result<SourceText> {
    if bytes.len() as u64 > LARGEST {
        let source = SourceText::new(shown.as_str(), "");
        let message = format!("the file is larger than {} MiB", LARGEST >> 20);
        return Err(invalid(&source, vec![Finding::error(&code::manifest::TOO_LARGE, message)]));
    }
    String::from_utf8(bytes).map(|text| SourceText::new(shown.as_str(), text)).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let lossy = String::from_utf8_lossy(error.as_bytes());
        let source = SourceText::new(shown.as_str(), lossy.as_ref());
        let message = format!("the byte 0x{:02x} is not UTF-8", error.as_bytes()[at]);
        invalid(&source, vec![Finding::error(&code::manifest::ENCODING, message).at(source.span(at..at + 1))])
    })
}

/// All that is wrong with a manifest as one error.
pub fn invalid(source: &SourceText, findings: Vec<Finding>) -> Error {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let faults = if errors == 1 { "fault" } else { "faults" };
    let summary = format!("`{}` has {errors} {faults}", source.path());
    Error::Faults(Faults::new(&code::manifest::INVALID, summary, findings))
}
