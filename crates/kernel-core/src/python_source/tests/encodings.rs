//! Files that Python reads in another way, not at all, or not in every version.

use std::collections::BTreeMap;

use kernel_spec::Severity;

use super::super::*;
use super::{lines, parse, told};

#[test]
fn what_is_nested_beyond_all_reason_is_refused() {
    let nested = |text: String| {
        let finding = PythonSource::parse("deep.py", text.as_bytes()).expect_err("it is too deep");
        assert!(finding.message.contains("nested too deeply"), "{}", finding.message);
    };
    let many = 15_000;
    nested(format!("x = {}1\n", "1+".repeat(many)));
    nested(format!("x = a{}\n", ".b".repeat(many)));
    nested(format!("x = a{}\n", "()".repeat(many)));
    nested(format!("x = {}1\n", "-".repeat(many)));
    nested(format!("x = {}1\n", "lambda a, b: ".repeat(many)));
    nested(format!("x = {}1{}\n", "(".repeat(many), ")".repeat(many)));
    nested(format!("x = {}1{}\n", "[1, ".repeat(many), "]".repeat(many)));
    nested((0..500).map(|at| format!("{}if a:\n", " ".repeat(at))).collect::<String>());
    // Long is not deep.
    let many = 5_000;
    let long = [
        format!("x = [{}]\n", "a.b(c[d], -1), ".repeat(many)),
        format!("x = {{{}}}\n", "'a': {'b': 1.5}, ".repeat(many)),
        "if a:\n  b = c.d\nelif e:\n  f()\n".replace("elif e:\n  f()\n", &"elif e:\n  f()\n".repeat(many)),
        format!("x = ({}'a')\n", "'a'\n".repeat(many)),
    ];
    for text in long {
        assert_eq!(lines(&text), [0_u32; 0]);
    }
    // At the limit, nothing that walks the tree comes to its own.
    let most = 990;
    for text in ["1+".repeat(most), "-".repeat(most), "lambda: ".repeat(most / 2)] {
        let files = [("deep.py", format!("x = {text}1\n"))];
        let files = files.map(|(path, text)| (path.to_owned(), parse(path, &text)));
        let files = BTreeMap::from(files);
        assert_eq!(findings(&files, "demo", &BTreeSet::new(), Some(&[])), []);
        assert!(files["deep.py"].uses().is_empty());
    }
}

#[test]
fn what_the_oldest_python_lacks_is_told() {
    use Severity::{Error, Warning};
    for (text, severity) in [
        ("match x:\n  case _: pass", Warning),
        ("type Size = int", Error),
        ("def f[T](x: T) -> T: ...", Error),
        ("class C[T]: ...", Error),
        ("try: pass\nexcept* ValueError: pass", Error),
        ("x = f'{'a'}'", Error),
        ("x = f'{a:{b:{c}}}'", Error),
        ("async def f():\n    return [[x async for x in y] for y in z]", Error),
        ("import tomllib", Error),
        ("from typing import override", Error),
        ("from itertools import pairwise", Warning),
    ] {
        assert_eq!(told(text), [(severity, "python/too-new")], "{text}");
    }
    for text in [
        "if (n := 1): pass",
        "with (open('a') as a, open('b') as b): pass",
        "try:\n  import tomllib\nexcept ImportError:\n  tomllib = None",
        "from typing import Protocol",
    ] {
        assert_eq!(told(text), [], "{text}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_one_finding() {
    for (bytes, told) in [
        (&b"def f(:\n"[..], "not valid Python"),
        (b"x = '\xe9'\n", "not UTF-8"),
        (b"x = 1  # \0\n", "null byte"),
        (b"\n\n# coding: latin-1\nx = '\xe9'\n", "not UTF-8"),
        (b"x = 1\n# coding: latin-1\ny = '\xe9'\n", "not UTF-8"),
        (b"# coding: utf-8\nx = '\xe9'\n", "not UTF-8"),
        (b"# coding: ascii\nx = '\xe9'\n", "does not have"),
        (b"# coding: cp1252\nx = '\x81'\n", "does not have"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "mark of UTF-8"),
        (b"# coding: utf-7\nx = 1\n", "`utf-7`"),
        (b"# vim: set fileencoding=unicode_escape :\nx = 1\n", "`unicode_escape`"),
        (b"#!/usr/bin/python\r# coding: shift_jis\rx = 1\r", "`shift_jis`"),
        (b"\0", "null byte"),
        (b"x = \x01\n", "not valid Python"),
    ] {
        let finding = PythonSource::parse("bad.py", bytes).expect_err("it is no Python");
        assert_eq!(finding.code.id, "python/unreadable");
        let said = format!("{} {:?}", finding.message, finding.causes);
        assert!(said.contains("bad.py") && said.contains(told), "{told}: {said}");
    }
}

/// Python 3.11 takes each of these, and reads this letter.
#[test]
fn a_file_in_the_coding_that_it_names_is_read() {
    for (bytes, letter) in [
        (&b"# -*- coding: latin-1 -*-\nx = '\xe9'\n"[..], "\u{e9}"),
        (b"#!/usr/bin/env python\n# vim: set fileencoding=iso-8859-1 :\nx = '\xe9'\n", "\u{e9}"),
        (b"\x0c \t\r\n# coding=ISO_8859_1\r\nx = '\xe9'\r\n", "\u{e9}"),
        (b"# coding: windows-1252\nx = '\x80'\n", "\u{20ac}"),
        (b"# coding: cp1252\nx = '\x9f'\n", "\u{178}"),
        (b"# coding: iso8859-15\nx = '\xa4'\n", "\u{20ac}"),
        (b"# coding: utf8\nx = '\xc3\xa9'\n", "\u{e9}"),
        (b"# coding: latin-1\nx = '\xc3'\n", "\u{c3}"),
        (b"\xef\xbb\xbf# coding: utf-8\nx = '\xc3\xa9'\n", "\u{e9}"),
        (b"# not a coding\nx = '\xc3\xa9'\n", "\u{e9}"),
        (b"# coding: us-ascii\nx = 'e'\n", "e"),
    ] {
        let source = PythonSource::parse("good.py", bytes).expect("it is Python");
        assert!(source.text.text().contains(&format!("'{letter}'")), "{letter} {}", source.text.text());
    }
    // An operator is found behind letters of more than one byte.
    let text = b"# coding: latin-1\nimport torch\nx = '\xe9'\ntorch.library.custom_op('demo::a')\n";
    let source = PythonSource::parse("ops.py", text).expect("it is Python");
    let files = BTreeMap::from([("ops.py".to_owned(), source)]);
    let found = findings(&files, "demo", &BTreeSet::new(), Some(&[]));
    assert_eq!(found.first().and_then(|finding| finding.span.as_ref()).map(|span| span.line), Some(4));
}
