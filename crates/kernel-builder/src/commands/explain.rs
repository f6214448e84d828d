//! `explain`: the table of codes, made readable where the error appeared.

use kernel_spec::Code;
use kernel_spec::report::{CodeEntry, ExplainReport, Report};
use miette::Diagnostic;
use thiserror::Error;

use super::{Answer, Run};
use crate::session::Session;

/// Explain an error or finding code; without a code, list them all
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder explain manifest/not-found")]
pub(crate) struct Arguments {
    /// A code as it stands in brackets after `error`
    code: Option<String>,
}

#[derive(Debug, Error, Diagnostic)]
enum ExplainError {
    #[error("there is no code `{code}`")]
    #[diagnostic(code("usage/unknown-code"), help("{help}"))]
    Unknown { code: String, help: String },
}

impl Run for Arguments {
    fn run(self, _session: &Session) -> Answer {
        let list = self.code.is_none();
        let codes: Vec<CodeEntry> = match &self.code {
            None => Code::all().map(CodeEntry::from).collect(),
            Some(id) => vec![CodeEntry::from(Code::find(id).ok_or_else(|| unknown(id))?)],
        };
        Ok(Report::Explain(ExplainReport { codes, list }))
    }
}

/// People remember the last part of a code best, so codes that share it are offered.
fn unknown(id: &str) -> ExplainError {
    let name = id.rsplit('/').next().unwrap_or(id);
    let close: Vec<String> = Code::all()
        .filter(|code| !name.is_empty() && code.id.contains(name))
        .map(|code| format!("`{code}`"))
        .collect();
    let help = if close.is_empty() {
        "list the codes with `kernel-builder explain`".to_owned()
    } else {
        format!("closest: {}; `kernel-builder explain` lists them all", close.join(", "))
    };
    ExplainError::Unknown { code: id.to_owned(), help }
}
