//! The lines around a message that say how the compiler came there. GCC and clang write them before it (`In file included
//! from`, `required from here`), nvcc's front end and lld below it.

use kernel_spec::diagnostic::{Place, Remark};

use super::dialect;

/// Beginnings of the lines that nvcc's front end puts between a message and the quoted source.
const BELOW: &[&str] =
    &["detected during", "instantiation of", "processing of", "argument types are:", "object type is:"];

/// What GCC calls a header's way into the source.
pub(super) const INCLUDED: &str = "included from here";

/// A line that belongs to the message after it.
pub(super) fn before(line: &str) -> Option<Remark> {
    included(line).or_else(|| required(line))
}

/// `In file included from file:line,`, `                 from file:line:`.
fn included(line: &str) -> Option<Remark> {
    let rest = match line.strip_prefix("In file included from ") {
        Some(rest) => rest,
        None => line.strip_prefix("                 from ")?,
    };
    let place = dialect::place(rest.trim_end_matches([',', ':']))?;
    Some(Remark { message: INCLUDED.to_owned(), place: Some(place) })
}

/// `file:line:column:   required from here`, and the steps of a constant expression.
fn required(line: &str) -> Option<Remark> {
    let at = line.find(":   required ").or_else(|| line.find(":   in "))?;
    Some(Remark { message: line[at + 1..].trim().to_owned(), place: Some(dialect::place(&line[..at])?) })
}

/// A line that belongs to the message before it, which lies in `file`.
pub(super) fn below(line: &str, file: Option<&str>) -> Option<Remark> {
    if let Some(said) = line.strip_prefix(">>> ") {
        return Some(Remark { message: said.to_owned(), place: None });
    }
    let said = line.trim_start();
    if line.len() - said.len() < 8 || !BELOW.iter().any(|start| said.starts_with(start)) {
        return None;
    }
    Some(Remark { message: said.to_owned(), place: at_line(said, file) })
}

/// `... at line N`, `... at line N of "file"`.
fn at_line(said: &str, file: Option<&str>) -> Option<Place> {
    let (_, rest) = said.rsplit_once(" at line ")?;
    let (line, other) = match rest.split_once(" of ") {
        Some((line, other)) => (line, Some(other.trim_matches('"'))),
        None => (rest, None),
    };
    Some(Place { file: other.or(file)?.to_owned(), line: Some(line.parse().ok()?), column: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(remark: Option<Remark>) -> Option<(String, Option<u32>)> {
        remark?.place.map(|place| (place.file, place.line))
    }

    #[test]
    fn ways_to_a_message_have_their_places() {
        let at = |file: &str, line| Some((file.to_owned(), Some(line)));
        for (line, expected) in [
            ("In file included from a.h:1,", at("a.h", 1)),
            ("                 from a b.cpp:12:", at("a b.cpp", 12)),
            ("In file included from a.cpp:3:", at("a.cpp", 3)),
            ("t.cpp:3:21:   required from here", at("t.cpp", 3)),
            ("t.cpp:5:9:   in 'constexpr' expansion of 'f(1)'", at("t.cpp", 5)),
            ("t.cpp: In function 'int f()':", None),
            ("t.cpp:1:2: error: no", None),
        ] {
            assert_eq!(place(before(line)), expected, "{line}");
        }
        for (line, expected) in [
            (
                "          detected during instantiation of \"void k(T) [with T=int]\" at line 2",
                at("k.cu", 2),
            ),
            ("            instantiation of \"void g()\" at line 7 of \"a/g.cuh\"", at("a/g.cuh", 7)),
            ("            argument types are: (int *, double2)", None),
        ] {
            let remark = below(line, Some("k.cu"));
            assert!(remark.is_some(), "{line}");
            assert_eq!(place(remark), expected, "{line}");
        }
        assert!(below(">>> referenced by k.o:(k())", None).is_some());
        assert_eq!(below("  instantiation of nothing, a quoted source", None), None);
    }
}
