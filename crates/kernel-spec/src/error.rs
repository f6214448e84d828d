//! Errors that are a list of findings: what stops a verb because of several independent faults at once.

use std::fmt;

use crate::{Code, Finding};

/// Several faults that together stop a verb; `code` decides the exit status.
#[derive(Clone, Debug)]
pub struct Faults {
    /// The code of the whole.
    pub code: &'static Code,
    /// One line about the whole.
    pub summary: String,
    /// The faults, most important first.
    pub findings: Vec<Finding>,
}

impl Faults {
    /// Faults under one code.
    pub fn new(code: &'static Code, summary: impl Into<String>, findings: Vec<Finding>) -> Self {
        Self { code, summary: summary.into(), findings }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.summary)
    }
}

impl std::error::Error for Faults {}

impl miette::Diagnostic for Faults {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code.remedy))
    }
}
