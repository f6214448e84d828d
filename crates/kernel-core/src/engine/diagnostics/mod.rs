//! Compilers' messages, from lines to parts. A line that is none of a known dialect stays what it was, output: nothing
//! is lost by not being understood.

mod around;
mod dialect;

use std::collections::BTreeSet;

use kernel_spec::diagnostic::{Diagnostic, Place, Remark};
use kernel_spec::{Finding, Severity, SourceText};

use camino::Utf8Path;

/// Remarks of one message that are kept; a deep template says hundreds.
const REMARKS: usize = 50;

/// The messages of one step while its lines come in. What is said again, as nvcc does for each of its passes, is said once.
#[derive(Debug, Default)]
pub struct Reader {
    open: Option<Diagnostic>,
    before: Vec<Remark>,
    said: BTreeSet<Diagnostic>,
}

impl Reader {
    /// Takes one line. A message is known to be whole when the next one begins.
    pub fn take(&mut self, line: &str) -> Option<Diagnostic> {
        let Some(mut said) = dialect::read(line) else {
            self.aside(line);
            return None;
        };
        match &mut self.open {
            Some(open) if said.severity == Severity::Note => {
                let remark = Remark { message: said.message, place: said.place };
                add(open, self.before.drain(..).chain([remark]));
                None
            }
            open => {
                add(&mut said, self.before.drain(..));
                let whole = open.replace(said);
                self.unheard(whole)
            }
        }
    }

    /// A line that is no message may say how the compiler came to one.
    fn aside(&mut self, line: &str) {
        if let Some(remark) = around::before(line) {
            if self.before.len() < REMARKS {
                self.before.push(remark);
            }
        } else if let Some(open) = &mut self.open {
            let file = open.place.as_ref().map(|place| place.file.as_str());
            if let Some(remark) = around::below(line, file) {
                add(open, [remark]);
            }
        }
    }

    fn unheard(&mut self, said: Option<Diagnostic>) -> Option<Diagnostic> {
        said.filter(|said| self.said.insert(said.clone()))
    }

    /// The message that was still open when the step ended; the next one is another step's.
    pub fn end(&mut self) -> Option<Diagnostic> {
        let last = self.open.take();
        let last = self.unheard(last);
        *self = Self::default();
        last
    }
}

fn add(said: &mut Diagnostic, remarks: impl IntoIterator<Item = Remark>) {
    said.notes.extend(remarks.into_iter().take(REMARKS.saturating_sub(said.notes.len())));
}

/// Every message in the lines of a step that has ended.
pub fn all<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<Diagnostic> {
    let mut reader = Reader::default();
    let mut found: Vec<Diagnostic> = lines.into_iter().filter_map(|line| reader.take(line)).collect();
    found.extend(reader.end());
    found
}

/// Whether a line is a message that stops a compile.
pub fn is_error(line: &str) -> bool {
    dialect::read(line).is_some_and(|said| said.severity == Severity::Error)
}

/// Points a finding at the first error that lies in a file of the project, or was reached from one.
pub fn locate(finding: Finding, diagnostics: &[Diagnostic], project: &Utf8Path) -> Finding {
    let errors = diagnostics.iter().filter(|said| said.severity == Severity::Error);
    let mut spans = errors.flat_map(places).filter_map(|place| {
        kernel_spec::path::confined(&place.file).ok()?;
        let text = fs_err::read_to_string(project.join(&place.file)).ok()?;
        let line = usize::try_from(place.line?).ok()?.checked_sub(1)?;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let length = text.get(start..).and_then(|rest| rest.lines().next()).map_or(0, str::len);
        let column = usize::try_from(place.column.unwrap_or(1)).ok()?.saturating_sub(1).min(length);
        let source = SourceText::new(place.file.as_str(), text);
        Some(source.span(start + column..start + column + 1))
    });
    match spans.next() {
        Some(span) => finding.at(span),
        None => finding,
    }
}

/// The place of a message and those that led there: the line that asked for a template tells more than the one that
/// included its header.
fn places(said: &Diagnostic) -> impl Iterator<Item = &Place> {
    let (included, asked): (Vec<&Remark>, Vec<&Remark>) =
        said.notes.iter().partition(|remark| remark.message == around::INCLUDED);
    said.place.iter().chain(asked.into_iter().chain(included).filter_map(|remark| remark.place.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_belong_to_the_message_before_them() {
        let said = all([
            "In file included from a.cpp:1:",
            "a.h:3:5: error: no matching function for call to 'f'",
            "    3 |     f(1);",
            "a.h:1:6: note: candidate: 'void f()'",
            "a.cpp:9:2: warning: unused variable 'x' [-Wunused-variable]",
        ]);
        let summary: Vec<_> = said.iter().map(|one| (one.severity, one.notes.len())).collect();
        assert_eq!(summary, [(Severity::Error, 2), (Severity::Warning, 0)]);
        assert_eq!(said[0].notes[0].message, "included from here");
        assert_eq!(said[0].notes[1].message, "candidate: 'void f()'");
        assert_eq!(said[1].option.as_deref(), Some("-Wunused-variable"));
    }

    #[test]
    fn what_every_pass_repeats_is_said_once_a_step() {
        let line = "k.cu(1): warning #940-D: missing return statement";
        assert_eq!(all([line, "", line, "k.cu(2): error: no", line]).len(), 2);
        let mut reader = Reader::default();
        assert_eq!((reader.take(line), reader.end().is_some()), (None, true));
        assert_eq!((reader.take(line), reader.end().is_some()), (None, true), "another step");
    }

    #[test]
    fn a_finding_points_into_the_project_and_never_out_of_it() {
        let project = tempfile::tempdir().expect("a directory");
        let project = Utf8Path::from_path(project.path()).expect("UTF-8");
        fs_err::write(project.join("a.cpp"), "int x;\n\tint y = z;\n").expect("written");
        let at = |line: &str| {
            let finding = Finding::error(&kernel_spec::code::build::COMPILE, "no");
            locate(finding, &all([line]), project).span
        };
        let span = at("a.cpp:2:10: error: 'z' was not declared").expect("a place");
        assert_eq!((span.line, span.column, span.text.as_str()), (2, 10, "\tint y = z;"));
        assert_eq!(at("/etc/passwd:1:1: error: no"), None);
        assert_eq!(at("../a.cpp:1:1: error: no"), None);
        assert_eq!(at("a.cpp:2:10: warning: no"), None);
        assert!(at("a.cpp:99:99: error: no").is_some(), "a wrong line is no crash");
        let lines = [
            "In file included from a.cpp:1:",
            "/usr/include/x.h: In instantiation of 'void f() [with T = int]':",
            "a.cpp:2:6:   required from here",
            "/usr/include/x.h:7:3: error: static assertion failed",
        ];
        let finding = Finding::error(&kernel_spec::code::build::COMPILE, "no");
        let span = locate(finding, &all(lines), project).span.expect("the line that asked for it");
        assert_eq!(span.line, 2);
    }
}
