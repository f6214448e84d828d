//! The sets that variants are of. A set's statement is signed too, and says which variants belong together; without it a
//! variant could be taken out of its set and put beside others.

use camino::Utf8PathBuf;
use kernel_spec::{Finding, code};

use super::variant::{read, unread};
use super::{Examined, Judge};
use crate::trust::set::{self, Place};
use crate::trust::statement::Statement;
use crate::trust::{BUNDLE_LIMIT, PROVENANCE, provenance_file};

impl Judge<'_> {
    /// Finds the statement for each variant that was signed for a place.
    pub(super) fn sets(&self, examined: &mut [Examined]) {
        for examined in examined {
            let record = examined.metadata.as_ref().and_then(|metadata| metadata.publication.clone());
            let Some(record) = record else { continue };
            match self.statement(examined, &Place::of(&record), &record.set) {
                Ok(statement) => {
                    examined.result.serial = Some(statement.serial);
                    examined.statement = Some(statement);
                }
                Err(findings) => findings.into_iter().for_each(|finding| examined.refuse(finding)),
            }
        }
    }

    fn statement(&self, examined: &Examined, place: &Place, set: &str) -> Result<Statement, Vec<Finding>> {
        let name = &examined.result.variant;
        let wrong = |reason: String| {
            let message = format!("the statement about the set of `{name}` does not hold");
            vec![Finding::error(&code::trust::SET, message).cause(reason)]
        };
        if !set::is_digest(set) {
            return Err(wrong("the metadata name no set".to_owned()));
        }
        let file = path(examined, set).ok_or_else(|| {
            let message = format!("there is no statement about the set of `{name}`");
            vec![Finding::error(&code::trust::SET, message).cause(format!("no `{}`", provenance_file(set)))]
        })?;
        let bundle = read(&file, BUNDLE_LIMIT).map_err(|error| match unread(&error) {
            code if *code == code::artifact::UNREADABLE => {
                let message = format!("the statement about the set of `{name}` cannot be read");
                vec![Finding::error(code, message).cause(error.to_string())]
            }
            _ => wrong(error.to_string()),
        })?;
        let signed =
            self.base.verifier.statement(&examined.text, &bundle).map_err(|refusal| wrong(refusal.reason))?;
        let statement = Statement::from_json(&signed.statement).map_err(wrong)?;
        let mut findings = Vec::new();
        findings.extend(self.mismatches(&signed.signed.signer, Some(&place.repository)));
        let logged_at = Some(signed.signed.logged_at);
        let faults = statement.faults((place, set), (name, &examined.text), logged_at);
        findings.extend(faults.into_iter().flat_map(wrong));
        findings.extend(self.age(&format!("the set of `{name}`"), signed.signed.logged_at));
        if findings.is_empty() { Ok(statement) } else { Err(findings) }
    }
}

impl Judge<'_> {
    /// Whether something was signed longer ago than is allowed.
    pub(super) fn age(&self, what: &str, logged_at: u64) -> Option<Finding> {
        let age = self.base.now.saturating_sub(logged_at);
        self.base.options.max_age.filter(|most| age > *most)?;
        let ago = match age / 86_400 {
            0 => format!("{age} seconds"),
            days => format!("{days} days"),
        };
        Some(Finding::error(&code::trust::AGE, format!("{what} was signed {ago} ago")))
    }
}

/// The file of a statement: beside the variants, as after signing, or at the top, as in a repository.
fn path(examined: &Examined, set: &str) -> Option<Utf8PathBuf> {
    let beside = examined.directory.parent()?;
    let top = beside.parent().map(|top| top.join(PROVENANCE).join(provenance_file(set)));
    let places = [Some(beside.join(PROVENANCE).join(provenance_file(set))), top];
    places.into_iter().flatten().find(|path| fs_err::symlink_metadata(path).is_ok())
}
