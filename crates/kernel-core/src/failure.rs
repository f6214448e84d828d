//! Turns any typed error into the one form in which failures are shown: code, message, causes, help, findings.

use std::error::Error;

use kernel_spec::error::Findings;
use kernel_spec::report::Failure;
use kernel_spec::{Code, Finding, code};
use miette::Diagnostic;

/// The failure that an error is.
pub fn describe<E: Diagnostic + 'static>(error: &E) -> Failure {
    let id = error.code().map_or_else(|| code::internal::BUG.id.to_owned(), |code| code.to_string());
    let code = Code::find(&id).unwrap_or(&code::internal::BUG);
    let mut failure = Failure::new(code, error.to_string());
    failure.code = id;
    if let Some(help) = error.help() {
        failure.help = help.to_string();
    }
    let mut next = error.source();
    while let Some(cause) = next {
        add(&mut failure, cause);
        next = cause.source();
    }
    failure
}

/// A cause is text, one finding with its place, or the whole list of findings.
fn add(failure: &mut Failure, cause: &(dyn Error + 'static)) {
    if let Some(findings) = cause.downcast_ref::<Findings>() {
        failure.findings.clone_from(&findings.0);
        return;
    }
    let finding = cause.downcast_ref::<Finding>();
    let text = cause.to_string();
    // Wrappers tend to repeat what they wrap.
    if failure.message != text && failure.causes.last() != Some(&text) {
        failure.causes.push(text);
    }
    if let Some(finding) = finding {
        failure.causes.extend(finding.causes.iter().cloned());
        failure.span = failure.span.take().or_else(|| finding.span.clone());
    }
}
