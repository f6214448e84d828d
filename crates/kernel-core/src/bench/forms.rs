//! The forms of a document that are written beside it.

use std::str::FromStr;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_bench::report::{Document, html, junit, markdown, records};
use thiserror::Error;

use super::BenchError;
use crate::written;

/// A form of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One page that needs nothing else.
    Html,
    /// A table for pull requests and cards.
    Markdown,
    /// For continuous integration.
    Junit,
    /// The document line by line.
    Lines,
}

/// A text that names no form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a form of the result: `html`, `md`, `junit` or `jsonl` is expected")]
pub struct UnknownForm(String);

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "html" => Ok(Form::Html),
            "md" => Ok(Form::Markdown),
            "junit" => Ok(Form::Junit),
            "jsonl" => Ok(Form::Lines),
            _ => Err(UnknownForm(text.to_owned())),
        }
    }
}

impl Form {
    /// Writes a document in this form beside its file, and answers where.
    pub fn write(self, document: &Document, beside: &Utf8Path) -> Result<Utf8PathBuf, BenchError> {
        let unwritable = |reason: String| BenchError::Form { reason };
        let (extension, text) = match self {
            Form::Html => ("html", html(document).map_err(|error| unwritable(error.to_string()))?),
            Form::Markdown => ("md", markdown(document)),
            Form::Junit => ("xml", junit(document).map_err(|error| unwritable(error.to_string()))?),
            Form::Lines => {
                let lines: Result<Vec<String>, _> =
                    records(document).iter().map(serde_json::to_string).collect();
                ("jsonl", lines.map_err(std::io::Error::from)?.join("\n") + "\n")
            }
        };
        let path = beside.with_extension(extension);
        written::write_document(&path, text.as_bytes())?;
        Ok(path)
    }
}
