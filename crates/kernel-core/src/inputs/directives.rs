//! Finding the `#include`s of a source without compiling it: every branch of every `#if` counts, so only what the
//! language's translation phases 1 to 3 do is done here (spliced lines, comments, literals).

use std::ops::Range;

/// One directive that reads another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directive {
    /// The name between the quotes or brackets; for a computed one, the tokens.
    pub name: String,
    /// How the name is written.
    pub style: Style,
    /// `#include_next`: the search goes on after the directory of this file.
    pub next: bool,
    /// The name's bytes in the text.
    pub bytes: Range<usize>,
}

/// How the name of a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `"x"`: the file's own directory first.
    Quoted,
    /// `<x>`: include directories only.
    Angled,
    /// A macro.
    Computed,
}

/// Directives that read a file: `#import` of Objective-C and Metal, `#embed` of C23.
const DIRECTIVES: &[&str] = &["include", "include_next", "import", "embed"];

/// Prefixes of raw string literals.
const RAW: &[&str] = &["R", "LR", "uR", "UR", "u8R"];

/// The directives of a text, in order.
pub(crate) fn scan(text: &[u8]) -> Vec<Directive> {
    let mut cursor = Cursor { text, at: 0 };
    let mut found = Vec::new();
    let mut line_begins = true;
    while let Some(byte) = cursor.peek() {
        match byte {
            b'\n' => {
                cursor.bump();
                line_begins = true;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => cursor.bump(),
            b'/' if cursor.comment() => {}
            b'#' if line_begins => {
                cursor.bump();
                found.extend(cursor.directive());
                line_begins = false;
            }
            b'%' if line_begins && cursor.starts_with(b"%:") => {
                cursor.at += 2;
                found.extend(cursor.directive());
                line_begins = false;
            }
            _ => {
                cursor.token(byte);
                line_begins = false;
            }
        }
    }
    found
}

/// A place in the text that sees through spliced lines.
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    /// The next byte, after any spliced line ends.
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at) == Some(&b'\\') {
            let rest = &self.text[self.at + 1..];
            // Compilers accept blanks between the backslash and the end of the line.
            let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
            if rest.get(blanks) != Some(&b'\n') {
                break;
            }
            self.at += blanks + 2;
        }
        self.text.get(self.at).copied()
    }

    fn bump(&mut self) {
        self.at += 1;
    }

    fn starts_with(&self, prefix: &[u8]) -> bool {
        self.text[self.at..].starts_with(prefix)
    }

    /// Skips a comment; false, and nothing moved past the slash, where there is none.
    fn comment(&mut self) -> bool {
        let slash = self.at;
        self.bump();
        match self.peek() {
            Some(b'/') => {
                while self.peek().is_some_and(|byte| byte != b'\n') {
                    self.bump();
                }
                true
            }
            Some(b'*') => {
                self.bump();
                let mut star = false;
                while let Some(byte) = self.peek() {
                    self.bump();
                    if star && byte == b'/' {
                        break;
                    }
                    star = byte == b'*';
                }
                true
            }
            _ => {
                self.at = slash;
                false
            }
        }
    }

    /// Skips one token that is no comment and begins no directive.
    fn token(&mut self, first: u8) {
        match first {
            b'"' | b'\'' => self.literal(first),
            b'0'..=b'9' => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let word = self.word();
                if self.peek() == Some(b'"') && RAW.contains(&word.as_str()) {
                    self.raw_literal();
                }
            }
            _ => self.bump(),
        }
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(byte) = self.peek().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            word.push(char::from(byte));
            self.bump();
        }
        word
    }

    /// A number, with the separators of C++14: the quotes in `1'000` begin no literal.
    fn number(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'\'' {
                if !self.text.get(self.at + 1).is_some_and(u8::is_ascii_alphanumeric) {
                    return;
                }
            } else if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_') {
                return;
            }
            self.bump();
        }
    }

    /// A string or character literal. It ends with its line at the latest: skipped branches may hold any text.
    fn literal(&mut self, quote: u8) {
        self.bump();
        while let Some(byte) = self.peek().filter(|byte| *byte != b'\n') {
            self.bump();
            if byte == quote {
                return;
            }
            if byte == b'\\' && self.peek().is_some_and(|escaped| escaped != b'\n') {
                self.bump();
            }
        }
    }

    /// `"delimiter(…)delimiter"`; in it, spliced lines are not spliced. What is no raw literal is left as a string.
    fn raw_literal(&mut self) {
        let rest = &self.text[self.at + 1..];
        let Some(length) = rest.iter().take(17).position(|byte| *byte == b'(') else {
            return self.literal(b'"');
        };
        let mut end = vec![b')'];
        end.extend(&rest[..length]);
        end.push(b'"');
        let body = self.at + 1 + length;
        match self.text[body..].windows(end.len()).position(|window| window == end) {
            Some(at) => self.at = body + at + end.len(),
            None => self.literal(b'"'),
        }
    }

    fn blanks_and_comments(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => self.bump(),
                b'/' if self.comment() => {}
                _ => return,
            }
        }
    }

    /// After the `#`: the directive, if it reads a file.
    fn directive(&mut self) -> Option<Directive> {
        self.blanks_and_comments();
        let word = self.word();
        if !DIRECTIVES.contains(&word.as_str()) {
            return None;
        }
        self.blanks_and_comments();
        let (style, end) = match self.peek()? {
            b'"' => (Style::Quoted, b'"'),
            b'<' => (Style::Angled, b'>'),
            b'\n' => return None,
            _ => (Style::Computed, b'\n'),
        };
        if style != Style::Computed {
            self.bump();
        }
        let start = self.at;
        let mut name = Vec::new();
        while let Some(byte) = self.peek().filter(|byte| *byte != end && *byte != b'\n') {
            if style == Style::Computed && byte == b'/' && self.comment() {
                continue;
            }
            name.push(byte);
            self.bump();
        }
        let bytes = start..self.at;
        if style != Style::Computed && self.peek() == Some(end) {
            self.bump();
        }
        let name = String::from_utf8_lossy(&name).trim().to_owned();
        Some(Directive { name, style, next: word == "include_next", bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(text: &str) -> Vec<String> {
        scan(text.as_bytes())
            .into_iter()
            .map(|found| match found.style {
                Style::Quoted => format!("\"{}\"", found.name),
                Style::Angled => format!("<{}>", found.name),
                Style::Computed => found.name,
            })
            .collect()
    }

    #[test]
    fn every_way_to_write_an_include_is_seen() {
        for (text, expected) in [
            ("#include \"a.h\"", "\"a.h\""),
            ("  #\tinclude<a.h>", "<a.h>"),
            ("#include \"a.h\"\r\n", "\"a.h\""),
            ("/* x */ # /* y */ include /* z */ \"a.h\" // w", "\"a.h\""),
            ("#inc\\\nlude \"a\\\n.h\"", "\"a.h\""),
            ("#include \\  \n  <a.h>", "<a.h>"),
            ("#if 0\nit's not\n#include \"a.h\"\n#endif", "\"a.h\""),
            ("%:include <a.h>", "<a.h>"),
            ("#import <a.h>", "<a.h>"),
            ("#embed \"a.h\" limit(4)", "\"a.h\""),
            ("int x = 1'000'000; /* ' */\n#include \"a.h\"", "\"a.h\""),
            ("char c = '\"';\n#include \"a.h\"", "\"a.h\""),
            ("const char* s = \"\\\"/*\";\n#include \"a.h\"", "\"a.h\""),
            ("auto s = R\"x(\"/* )\" )x\";\n#include \"a.h\"", "\"a.h\""),
            ("#include HEADER /* which */", "HEADER"),
            ("#include NAME(a, b)", "NAME(a, b)"),
            ("#include \"a.h", "\"a.h\""),
            ("/**/#include \"a.h\"", "\"a.h\""),
        ] {
            assert_eq!(names(text), [expected], "{text:?}");
        }
        let next = scan(b"#include_next <a.h>");
        assert!(next[0].next && next[0].bytes == (15..18));
    }

    #[test]
    fn what_only_looks_like_one_is_not() {
        for text in [
            "// #include \"a.h\"",
            "// x \\\n#include \"a.h\"",
            "/* \n#include \"a.h\"\n*/",
            "auto s = R\"(\n#include \"a.h\"\n)\";",
            "auto s = u8R\"ab(\n)\"\n#include \"a.h\"\n)ab\";",
            "int a; #include \"a.h\"",
            "#define X \"#include\"",
            "#includes \"a.h\"",
            "const char* s = \"\\\n#include <a.h>\";",
            "#include",
            "",
        ] {
            assert_eq!(names(text), [""; 0], "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_fail(text in prop::collection::vec(any::<u8>(), 0..200)) {
            for found in scan(&text) {
                prop_assert!(found.bytes.end <= text.len());
            }
        }

        #[test]
        fn no_text_of_its_own_kind_makes_it_fail(text in "[#\\\\\n\"'()/*R<>include ]{0,80}") {
            scan(text.as_bytes());
        }
    }
}
