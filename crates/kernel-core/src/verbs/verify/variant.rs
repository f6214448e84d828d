//! One variant alone.

use std::io::{Error, ErrorKind};

use camino::Utf8Path;
use kernel_spec::finding::Subject;
use kernel_spec::report::{TrustState, VerifiedVariant};
use kernel_spec::{Code, Finding, Metadata, code};

use super::{Examined, Judge};
use crate::digest::{METADATA, SIGNATURE};
use crate::trust::set::Place;
use crate::trust::{BUNDLE_LIMIT, contents};
use crate::{Result, bounds, regular};

impl Judge<'_> {
    /// Everything about a variant for which no other is needed; `given` is what the user named.
    pub(super) fn variant(&self, directory: &Utf8Path, given: &Utf8Path) -> Result<Examined> {
        let name = directory.file_name().unwrap_or_default().to_owned();
        let mut examined = Examined {
            directory: directory.to_owned(),
            text: Vec::new(),
            metadata: None,
            result: VerifiedVariant {
                variant: name,
                state: TrustState::Refused,
                signer: None,
                repository: None,
                branch: None,
                set: None,
                serial: None,
                logged_at: None,
                files: 0,
                rebuilt: None,
                findings: Vec::new(),
            },
            statement: None,
        };
        // What the user names may be a link; what is found in it may not.
        if directory != given && directory.is_symlink() {
            let message = format!("`{}` is a link", examined.result.variant);
            examined.refuse(Finding::error(&code::trust::LINK, message));
        } else {
            self.signature(&mut examined);
        }
        if examined.metadata.is_some() {
            self.signer(&mut examined);
            self.place(&mut examined);
            sources(&mut examined);
            if let Some(metadata) = &examined.metadata {
                let findings = contents::check(directory, metadata)?;
                examined.result.findings.extend(findings);
            }
        }
        let name = examined.result.variant.clone();
        for finding in &mut examined.result.findings {
            finding.subject = Subject { variant: Some(name.clone()), ..finding.subject.clone() };
        }
        Ok(examined)
    }

    /// Reads the metadata, once the signature over them is sound.
    fn signature(&self, examined: &mut Examined) {
        let name = examined.result.variant.clone();
        let path = examined.directory.join(SIGNATURE);
        if fs_err::symlink_metadata(&path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            examined.refuse(Finding::error(&code::trust::UNSIGNED, format!("`{name}` has no signature")));
            return;
        }
        let text = read(&examined.directory.join(METADATA), bounds::METADATA);
        let read = text.and_then(|text| Ok((text, read(&path, BUNDLE_LIMIT)?)));
        let (text, bundle) = match read {
            Ok(read) => read,
            Err(error) => {
                let message = format!("what is signed of `{name}` cannot be read");
                examined.refuse(Finding::error(unread(&error), message).cause(error.to_string()));
                return;
            }
        };
        match self.base.verifier.blob(&text, &bundle) {
            Err(refusal) => {
                examined.refuse(refusal.finding(format!("the signature of `{name}` is not accepted")));
            }
            Ok(signed) => {
                examined.result.signer = Some(signed.signer);
                examined.result.logged_at = Some(signed.logged_at);
                match Metadata::from_json(&text) {
                    Ok(metadata) => examined.metadata = Some(metadata),
                    Err(findings) => findings.into_iter().for_each(|finding| examined.refuse(finding)),
                }
            }
        }
        examined.text = text;
    }

    /// Whether the signer may sign.
    fn signer(&self, examined: &mut Examined) {
        let Some(signer) = &examined.result.signer else { return };
        // What is signed for no place may be published where it lies.
        let signed_for = examined.place().map(|place| place.repository).or_else(|| self.repository.clone());
        for finding in self.mismatches(signer, signed_for.as_deref()) {
            examined.refuse(finding);
        }
    }

    /// Whether the variant lies where it was signed for.
    fn place(&self, examined: &mut Examined) {
        let Some(metadata) = &examined.metadata else { return };
        examined.result.files = metadata.digest.as_ref().map_or(0, |digest| digest.files.len());
        let name = examined.result.variant.clone();
        let Some(record) = metadata.publication.clone() else {
            if !self.base.options.allow_unplaced {
                let message = format!("`{name}` is signed for no place, and so would fit anywhere");
                examined.refuse(Finding::error(&code::trust::NO_PLACE, message));
            }
            // It is of no set, whose age would be looked at.
            let logged_at = examined.result.logged_at.unwrap_or_default();
            if let Some(finding) = self.age(&format!("`{name}`"), logged_at) {
                examined.refuse(finding);
            }
            return;
        };
        let place = Place::of(&record);
        examined.result.repository = Some(record.repository);
        examined.result.branch = Some(record.branch);
        examined.result.set = Some(record.set);
        let built = metadata.build.as_ref().map_or(&record.variant, |build| &build.variant).clone();
        for signed in [record.variant, built] {
            if signed != name {
                let message = format!("`{name}` was signed as `{signed}`");
                examined.refuse(Finding::error(&code::trust::SLOT, message));
                break;
            }
        }
        let repository = self.repository.as_ref().unwrap_or(&place.repository);
        let branch = self.branch.as_ref().unwrap_or(&place.branch);
        if (repository, branch) != (&place.repository, &place.branch) {
            let message =
                format!("`{name}` was signed for {place}, and not for `{branch}` of `{repository}`");
            examined.refuse(Finding::error(&code::trust::PLACE, message));
        }
    }
}

/// Whether the signer's run was of the sources that the metadata speak of.
fn sources(examined: &mut Examined) {
    let name = examined.result.variant.clone();
    let Some(signer) = &examined.result.signer else { return };
    let provenance = examined.metadata.as_ref().and_then(|metadata| metadata.provenance.as_ref());
    let kernel = provenance.and_then(|provenance| provenance.kernel.as_ref());
    let message = match (kernel, &signer.commit) {
        (Some(kernel), _) if kernel.dirty => {
            format!("`{name}` holds changes that are in no commit")
        }
        (Some(kernel), Some(commit)) if kernel.commit != *commit => {
            format!("`{name}` was built from {}, and signed by a run for {commit}", kernel.commit)
        }
        // A person's certificate names no commit; whether a person may sign is the policy's to say.
        (Some(_), _) => return,
        (None, _) => format!("`{name}` does not say which commit it was built from"),
    };
    examined.refuse(Finding::error(&code::trust::COMMIT, message));
}

/// The code of what could not be read: what can be read and is not what it should be is no bundle.
pub(super) fn unread(error: &Error) -> &'static Code {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::InvalidData | ErrorKind::FileTooLarge => &code::trust::BUNDLE,
        _ => &code::artifact::UNREADABLE,
    }
}

/// A file's bytes, where it is a regular one and no link.
pub(super) fn read(path: &Utf8Path, limit: u64) -> std::io::Result<Vec<u8>> {
    if fs_err::symlink_metadata(path)?.is_symlink() {
        return Err(Error::new(ErrorKind::InvalidData, format!("`{path}` is a link")));
    }
    Ok(regular::text(path, limit)?.into_bytes())
}
