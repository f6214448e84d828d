//! How an error, warning or note looks: what happened, why, where in the text, what to do. One form for findings and
//! for the failure that ends the program.

use anstyle::Style;
use kernel_spec::report::Failure;
use kernel_spec::{Finding, Severity, Span};

use super::page::{DIM, ERROR, NOTE, Page, WARNING};

/// Renders what ended the program, after the faults that led to it.
pub(super) fn failure(failure: &Failure) -> Page {
    let mut page = Page::new();
    for finding in &failure.findings {
        add_finding(&mut page, finding);
        page.end();
    }
    title(&mut page, "error", ERROR, &failure.code, &failure.message);
    causes(&mut page, &failure.causes);
    if let Some(span) = &failure.span {
        place(&mut page, span, None);
    }
    help(&mut page, &failure.help);
    page
}

/// Renders one finding.
pub(super) fn finding(finding: &Finding) -> Page {
    let mut page = Page::new();
    add_finding(&mut page, finding);
    page
}

/// Adds one finding to a page.
pub(super) fn add_finding(page: &mut Page, finding: &Finding) {
    let (word, style) = match finding.severity {
        Severity::Error => ("error", ERROR),
        Severity::Warning => ("warning", WARNING),
        Severity::Note => ("note", NOTE),
    };
    title(page, word, style, finding.code.id, &finding.message);
    causes(page, &finding.causes);
    subject(page, finding);
    if let Some(span) = &finding.span {
        place(page, span, None);
    }
    for label in &finding.related {
        place(page, &label.span, Some(&label.text));
    }
    help(page, &finding.help);
}

fn title(page: &mut Page, word: &str, style: Style, code: &str, message: &str) {
    // One line: a name with a line break in it must not be able to write the lines below.
    page.add_in(style, format!("{word}[{code}]")).add(": ").line(message);
}

fn causes(page: &mut Page, causes: &[String]) {
    for cause in causes {
        page.add("  caused by: ");
        lines(page, cause, "    ");
    }
}

/// What a finding is about, as far as its text does not point there anyway.
fn subject(page: &mut Page, finding: &Finding) {
    let subject = &finding.subject;
    let parts: Vec<String> =
        [("variant", &subject.variant), ("file", &subject.file), ("symbol", &subject.symbol)]
            .into_iter()
            .filter_map(|(word, value)| value.as_ref().map(|value| format!("{word} `{value}`")))
            .collect();
    if !parts.is_empty() {
        page.add("  in: ").line(parts.join(", "));
    }
}

/// The place, its line and a caret under it.
fn place(page: &mut Page, span: &Span, label: Option<&str>) {
    page.add("  --> ").add(format!("{}:{}:{}", span.path, span.line, span.column));
    if let Some(label) = label {
        page.add(": ").add(label);
    }
    page.end();
    if span.text.is_empty() {
        return;
    }
    let number = span.line.to_string();
    let margin = " ".repeat(number.len());
    page.add_in(DIM, format!(" {number} | ")).line(&span.text);
    // Tabs are kept so that the caret stands right whatever their width.
    let before = usize::try_from(span.column - 1).unwrap_or(0);
    let indent: String =
        span.text.chars().take(before).map(|character| if character == '\t' { '\t' } else { ' ' }).collect();
    let width = usize::try_from(span.end_column.saturating_sub(span.column)).unwrap_or(1).max(1);
    page.add_in(DIM, format!(" {margin} | ")).add(indent).add_in(NOTE, "^".repeat(width)).end();
}

fn help(page: &mut Page, help: &str) {
    page.add_in(NOTE, "help").add(": ");
    lines(page, help, "      ");
}

/// A text of several lines, the later ones indented.
fn lines(page: &mut Page, text: &str, indent: &str) {
    for (number, line) in text.lines().enumerate() {
        page.add(if number == 0 { "" } else { indent }).line(line);
    }
    if text.is_empty() {
        page.end();
    }
}
