//! Errors that are a list of findings: what stops a verb because of several independent faults at once.

use std::fmt;
use std::ops::Deref;

use crate::{Code, ExitClass, Finding, Severity};

/// Several faults that together stop a verb; `code` decides the exit status.
#[derive(Clone, Debug)]
pub struct Faults {
    /// The code of the whole.
    pub code: &'static Code,
    /// One line about the whole.
    pub summary: String,
    /// The faults, most important first.
    pub findings: Findings,
}

/// The list itself, an error of its own: as the source of `Faults` it is found at the end of any cause chain, however
/// many transparent wrappers lie between.
#[derive(Clone, Debug)]
pub struct Findings(pub Vec<Finding>);

impl Deref for Findings {
    type Target = Vec<Finding>;

    fn deref(&self) -> &Vec<Finding> {
        &self.0
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages: Vec<&str> = self.iter().map(|finding| finding.message.as_str()).collect();
        formatter.write_str(&messages.join("; "))
    }
}

impl std::error::Error for Findings {}

impl Faults {
    /// Faults under one code.
    pub fn new(code: &'static Code, summary: impl Into<String>, findings: Vec<Finding>) -> Self {
        Self { code, summary: summary.into(), findings: Findings(findings) }
    }

    /// Under the code of what could not be read, where there is nothing worse: what was not read was not judged.
    #[must_use]
    pub fn or_unread(self) -> Self {
        let code = unread(self.findings.iter());
        Self { code: code.unwrap_or(self.code), ..self }
    }
}

/// The code of what could not be read, where no error is of another kind.
pub fn unread<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Option<&'static Code> {
    let errors = findings.into_iter().filter(|finding| finding.severity == Severity::Error);
    let mut codes = errors.map(|finding| finding.code);
    let first = codes.next()?;
    let is_unread = |code: &Code| code.exit == ExitClass::Unreadable;
    (is_unread(first) && codes.all(is_unread)).then_some(first)
}

impl fmt::Display for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.summary)
    }
}

impl std::error::Error for Faults {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.findings)
    }
}

impl miette::Diagnostic for Faults {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code.remedy))
    }
}
