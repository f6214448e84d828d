//! The forms in which compilers write a message. Sources: GCC manual, "Formatting Error Messages" of the GNU coding
//! standards (gcc, clang, GNU ld); the front end of nvcc writes `file(line): error #number: message`, ptxas writes
//! `ptxas file, line N; error : message`. What stands around a message is in [`super::around`].

use kernel_spec::Severity;
use kernel_spec::diagnostic::{Diagnostic, Place};

/// The words before a message, the worst first: `fatal error` contains `error`.
const WORDS: &[(&str, Severity)] = &[
    ("fatal error", Severity::Error),
    ("catastrophic error", Severity::Error),
    ("internal compiler error", Severity::Error),
    ("error", Severity::Error),
    ("fatal", Severity::Error),
    ("warning", Severity::Warning),
    ("remark", Severity::Note),
    ("note", Severity::Note),
    ("info", Severity::Note),
];

/// The message in a line, if the line is one.
pub(super) fn read(line: &str) -> Option<Diagnostic> {
    // A quoted source line can say anything; it is indented or begins with its number and a bar.
    if line.starts_with([' ', '\t']) {
        return None;
    }
    ptxas(line).or_else(|| undefined(line)).or_else(|| edg(line)).or_else(|| gnu(line)).or_else(|| bare(line))
}

/// `word: message` and nothing before: what clang's code generators say of a whole function.
fn bare(line: &str) -> Option<Diagnostic> {
    let (word, message) = line.split_once(": ")?;
    let severity = WORDS.iter().find(|(known, _)| *known == word)?.1;
    Some(Diagnostic { severity, option: None, message: message.to_owned(), place: None, notes: Vec::new() })
}

/// `place: word: message [-Woption]`, or `program: word: message`.
fn gnu(line: &str) -> Option<Diagnostic> {
    let (at, word, severity) = WORDS
        .iter()
        .filter_map(|(word, severity)| Some((line.find(&format!(": {word}: "))?, *word, *severity)))
        .min_by_key(|(at, _, _)| *at)?;
    let message = &line[at + word.len() + 4..];
    let (message, option) = match message.rsplit_once(" [-W") {
        Some((message, rest)) if rest.ends_with(']') => {
            (message, Some(format!("-W{}", rest.trim_end_matches(']'))))
        }
        _ => (message, None),
    };
    Some(Diagnostic {
        severity,
        option,
        message: message.to_owned(),
        place: place(&line[..at]),
        notes: Vec::new(),
    })
}

/// `file:line:column` or `file:line`. A program's name has no line and is no place.
pub(super) fn place(text: &str) -> Option<Place> {
    let (rest, last) = text.rsplit_once(':')?;
    let last = last.parse::<u32>().ok()?;
    let two = rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
    Some(match two {
        Some((file, line)) => Place { file: file.to_owned(), line: Some(line), column: Some(last) },
        None => Place { file: rest.to_owned(), line: Some(last), column: None },
    })
}

/// `file(line): word #number: message`.
fn edg(line: &str) -> Option<Diagnostic> {
    let (before, after) = line.split_once("): ")?;
    let (file, number) = before.rsplit_once('(')?;
    let number = number.parse::<u32>().ok()?;
    let (word, severity) = WORDS.iter().find(|(word, _)| after.starts_with(word))?;
    let rest = &after[word.len()..];
    let (option, message) = match rest.strip_prefix(' ') {
        Some(numbered) => {
            let (option, message) = numbered.split_once(": ")?;
            (Some(option.to_owned()), message)
        }
        None => (None, rest.strip_prefix(": ")?),
    };
    let place = Place { file: file.to_owned(), line: Some(number), column: None };
    let message = message.to_owned();
    Some(Diagnostic { severity: *severity, option, message, place: Some(place), notes: Vec::new() })
}

/// `ptxas word : message` or `ptxas file, line N; word : message`; also `nvcc fatal : message`.
fn ptxas(line: &str) -> Option<Diagnostic> {
    let rest = line.strip_prefix("ptxas ").or_else(|| line.strip_prefix("nvcc "))?;
    let (place, rest) = match rest.split_once("; ") {
        Some((place, rest)) if place.contains(", line ") => {
            let (file, number) = place.split_once(", line ")?;
            let line = number.trim().parse::<u32>().ok();
            (Some(Place { file: file.to_owned(), line, column: None }), rest)
        }
        _ => (None, rest),
    };
    let (word, message) = rest.split_once(':')?;
    let severity = WORDS.iter().find(|(known, _)| *known == word.trim())?.1;
    Some(Diagnostic { severity, option: None, message: message.trim().to_owned(), place, notes: Vec::new() })
}

/// What a linker misses: GNU ld says `file:line: undefined reference to ...` or `file:(section): ...`, without a word.
fn undefined(line: &str) -> Option<Diagnostic> {
    let at = line.find(": undefined reference to ")?;
    let before = line[..at].trim_start_matches("/usr/bin/ld: ");
    let place = place(before).or_else(|| {
        let (file, section) = before.rsplit_once(":(")?;
        section.ends_with(')').then(|| Place { file: file.to_owned(), line: None, column: None })
    });
    let message = line[at + 2..].to_owned();
    Some(Diagnostic { severity: Severity::Error, option: None, message, place, notes: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Parts<'a> = (Severity, Option<&'a str>, Option<(&'a str, Option<u32>, Option<u32>)>, &'a str);

    fn parts(said: &Diagnostic) -> Parts<'_> {
        let place = said.place.as_ref().map(|place| (place.file.as_str(), place.line, place.column));
        (said.severity, said.option.as_deref(), place, &said.message)
    }

    #[test]
    fn every_dialect_is_read() {
        use Severity::{Error, Note, Warning};
        let table: &[(&str, Parts<'_>)] = &[
            (
                "a/k.cpp:3:5: error: expected ';'",
                (Error, None, Some(("a/k.cpp", Some(3), Some(5))), "expected ';'"),
            ),
            (
                "k.h:1:10: fatal error: x.h: No such file",
                (Error, None, Some(("k.h", Some(1), Some(10))), "x.h: No such file"),
            ),
            (
                "k.cu:7:3: warning: unused variable 'x' [-Wunused-variable]",
                (Warning, Some("-Wunused-variable"), Some(("k.cu", Some(7), Some(3))), "unused variable 'x'"),
            ),
            ("a b:c.cpp:3:5: note: here", (Note, None, Some(("a b:c.cpp", Some(3), Some(5))), "here")),
            ("cc1plus: error: bad value", (Error, None, None, "bad value")),
            ("ld.lld: error: undefined symbol: f", (Error, None, None, "undefined symbol: f")),
            ("g++: internal compiler error: Killed", (Error, None, None, "Killed")),
            (
                "k.cu(12): error: identifier \"x\" is undefined",
                (Error, None, Some(("k.cu", Some(12), None)), "identifier \"x\" is undefined"),
            ),
            (
                "a(1)/k.cu(12): warning #177-D: variable \"x\" was declared",
                (Warning, Some("#177-D"), Some(("a(1)/k.cu", Some(12), None)), "variable \"x\" was declared"),
            ),
            (
                "k.cu(3): catastrophic error: cannot open",
                (Error, None, Some(("k.cu", Some(3), None)), "cannot open"),
            ),
            (
                "ptxas fatal   : Unresolved extern function 'f'",
                (Error, None, None, "Unresolved extern function 'f'"),
            ),
            (
                "ptxas k.ptx, line 12; error   : Arguments mismatch",
                (Error, None, Some(("k.ptx", Some(12), None)), "Arguments mismatch"),
            ),
            (
                "error: local memory (800000) exceeds limit (65536) in function '_Z1kv'",
                (Error, None, None, "local memory (800000) exceeds limit (65536) in function '_Z1kv'"),
            ),
            ("ptxas info    : Used 32 registers", (Note, None, None, "Used 32 registers")),
            ("nvcc fatal   : Unknown option '-x'", (Error, None, None, "Unknown option '-x'")),
            (
                "/usr/bin/ld: k.cpp:(.text+0x5): undefined reference to `g()'",
                (Error, None, Some(("k.cpp", None, None)), "undefined reference to `g()'"),
            ),
        ];
        for (line, expected) in table {
            let said = read(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(&parts(&said), expected, "{line}");
        }
    }

    #[test]
    fn other_lines_are_no_messages() {
        for line in [
            "In file included from a.cpp:1:",
            "a.cpp: In function 'int f()':",
            "    3 |   printf(\": error: \");",
            "1 error detected in the compilation of \"k.cu\".",
            "1 error generated when compiling for gfx1030.",
            "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"",
            "k.cu(3): errors follow",
            "",
            "::::",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_line_is_a_crash(line in ".{0,60}(: error: |\\(1\\): error|ptxas |undefined reference to ).{0,60}") {
            let _ = read(&line);
        }
    }
}
