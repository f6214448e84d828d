//! Compilers' messages, from lines to parts. A line that is none of a known dialect stays what it was, output: nothing
//! is lost by not being understood.

mod dialect;

use kernel_spec::diagnostic::{Diagnostic, Remark};
use kernel_spec::{Finding, Severity, SourceText};

use camino::Utf8Path;

/// Remarks of one message that are kept; a deep template says hundreds.
const REMARKS: usize = 50;

/// The messages of one step while its lines come in.
#[derive(Debug, Default)]
pub struct Reader {
    open: Option<Diagnostic>,
}

impl Reader {
    /// Takes one line. A message is known to be whole when the next one begins.
    pub fn take(&mut self, line: &str) -> Option<Diagnostic> {
        let said = dialect::read(line)?;
        match &mut self.open {
            Some(open) if said.severity == Severity::Note => {
                if open.notes.len() < REMARKS {
                    open.notes.push(Remark { message: said.message, place: said.place });
                }
                None
            }
            open => open.replace(said),
        }
    }

    /// The message that was still open when the step ended.
    pub fn end(&mut self) -> Option<Diagnostic> {
        self.open.take()
    }
}

/// Every message in the lines of a step that has ended.
pub fn all<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<Diagnostic> {
    let mut reader = Reader::default();
    let mut found: Vec<Diagnostic> = lines.into_iter().filter_map(|line| reader.take(line)).collect();
    found.extend(reader.end());
    found
}

/// Points a finding at the first error that lies in a file of the project.
pub fn locate(finding: Finding, diagnostics: &[Diagnostic], project: &Utf8Path) -> Finding {
    let errors = diagnostics.iter().filter(|said| said.severity == Severity::Error);
    let mut spans = errors.filter_map(|said| {
        let place = said.place.as_ref()?;
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
        assert_eq!(summary, [(Severity::Error, 1), (Severity::Warning, 0)]);
        assert_eq!(said[0].notes[0].message, "candidate: 'void f()'");
        assert_eq!(said[1].option.as_deref(), Some("-Wunused-variable"));
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
    }
}
