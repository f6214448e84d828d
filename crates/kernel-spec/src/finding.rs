//! A finding: one thing a check, a parser or a judge has to say. Errors that stop a verb carry findings too, so there
//! is one shape for everything a user may have to act on.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Code, Span};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; never fails anything, not even under `--deny warnings`.
    Note,
    /// Probably a mistake; fails under `--deny warnings`.
    Warning,
    /// Wrong; the verb that found it fails.
    Error,
}

/// What a finding is about, as far as it applies.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Subject {
    /// The variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The file, relative to the variant or the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The version node or version number found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The library that provides the symbol, or is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
}

/// An edit that certainly mends the finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Fix {
    /// The file to edit, relative to the project.
    pub file: String,
    /// Byte range to replace; empty for an insertion.
    pub bytes: (usize, usize),
    /// The new text.
    pub text: String,
}

/// A second place that belongs to a finding, such as the first of two definitions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// One thing to tell the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// Its stable code.
    #[schemars(with = "String")]
    pub code: &'static Code,
    /// How much it matters.
    pub severity: Severity,
    /// What happened: a lower-case fragment, literals in backticks, no final period.
    pub message: String,
    /// Why, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// What to do.
    pub help: String,
    /// Where in a text of the user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// Other places that belong to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Label>,
    /// What it is about.
    #[serde(skip_serializing_if = "is_empty")]
    pub subject: Subject,
    /// A certain edit that mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

fn is_empty(subject: &Subject) -> bool {
    *subject == Subject::default()
}

impl Finding {
    /// An error with the code's general remedy as help.
    pub fn error(code: &'static Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A warning with the code's general remedy as help.
    pub fn warning(code: &'static Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// A note with the code's general remedy as help.
    pub fn note(code: &'static Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Note, message)
    }

    fn new(code: &'static Code, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            causes: Vec::new(),
            help: code.remedy.to_owned(),
            span: None,
            related: Vec::new(),
            subject: Subject::default(),
            fix: None,
        }
    }

    /// Replaces the general remedy by one for this very case.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Adds a cause.
    #[must_use]
    pub fn cause(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Points at a place.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// Says what it is about.
    #[must_use]
    pub fn about(mut self, subject: Subject) -> Self {
        self.subject = subject;
        self
    }

    /// Offers a certain edit.
    #[must_use]
    pub fn fixed_by(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Finding {}

/// The first so many findings of each code and severity; the last of them says how many more there are.
#[must_use]
pub fn abridged(findings: Vec<Finding>, most: usize) -> Vec<Finding> {
    // How many there are of a kind, and where the last of them is that is kept.
    let mut kinds: BTreeMap<(&str, Severity), (usize, usize)> = BTreeMap::new();
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        let (count, last) = kinds.entry((finding.code.id, finding.severity)).or_default();
        *count += 1;
        if *count <= most {
            *last = kept.len();
            kept.push(finding);
        }
    }
    for (count, last) in kinds.into_values().filter(|(count, _)| *count > most) {
        if let Some(finding) = kept.get_mut(last) {
            finding.causes.push(format!("and {} more of this kind", count - most));
        }
    }
    kept
}

/// The worst severity among findings.
pub fn worst(findings: &[Finding]) -> Option<Severity> {
    findings.iter().map(|finding| finding.severity).max()
}
