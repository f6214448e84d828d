//! The eight wrong ways to register an operator are found, and none of the good ones is.

use std::collections::BTreeMap;

use super::*;

fn parse(path: &str, text: &str) -> PythonSource {
    PythonSource::parse(path, text.as_bytes()).expect("the text is Python")
}

fn lines(text: &str) -> Vec<u32> {
    let findings = parse("ops.py", text).findings("demo");
    findings.iter().filter_map(|finding| finding.span.as_ref()).map(|span| span.line).collect()
}

const WRONG: &str = r#"import torch
from torch.library import Library, custom_op as registered
from torch.library import register_autograd

@torch.library.custom_op("demo::a", mutates_args=())
def a(x): ...

if torch.cuda.is_available():
    @torch.library.register_fake("demo::b")
    def b(x): ...

class Holder:
    @torch.library.register_kernel("demo::c", "cpu")
    def c(x): ...

@torch.library.custom_op(name="demo::d", mutates_args=())
def d(x): ...

torch.library.register_vmap("demo::e", None)

@registered("demo::f", mutates_args=())
def f(x): ...

library = Library("demo", "DEF")
library.define("g(Tensor x) -> Tensor")

register_autograd("demo::h", None)
"#;

const GOOD: &str = r#"import torch
from ._ops import add_op_namespace_prefix, add_op_namespace_prefix as prefixed
from . import _ops
from somewhere import registry

name = add_op_namespace_prefix("a")

@torch.library.custom_op(name, mutates_args=())
def a(x): ...

@torch.library.register_fake(str(add_op_namespace_prefix("b")))
def b(x): ...

@registry.register_fake("anything")
def c(x): ...

@torch.library.custom_op(prefixed("d"), mutates_args=())
def d(x): ...

@a.register_fake
def e(x): ...

@torch.library.register_kernel(_ops.add_op_namespace_prefix("f"), "cpu")
def f(x): ...

@torch.library.custom_op(f"{prefixed('g')}", mutates_args=())
def g(x): ...

torch.library.register_fake(from_elsewhere(), None)
"#;

#[test]
fn the_eight_wrong_registrations_are_found() {
    assert_eq!(lines(WRONG), [5, 9, 13, 16, 19, 21, 24, 27]);
}

#[test]
fn good_registrations_are_left_alone() {
    assert_eq!(lines(GOOD), [0_u32; 0]);
}

#[test]
fn literals_behind_names_and_joins_are_literals() {
    let text =
        "from torch.library import custom_op\nNAME = 'demo' + '::a'\n@custom_op(NAME)\ndef a(x): ...\n";
    assert_eq!(lines(text), [3]);
    let both = "from torch.library import custom_op\nfrom ._ops import add_op_namespace_prefix as p\n\
                if a:\n  n = p('a')\nelse:\n  n = 'demo::a'\ncustom_op(n)\n";
    assert_eq!(lines(both), [0_u32; 0], "one of two meanings is right, so nothing is claimed");
}

#[test]
fn a_package_that_imports_itself_is_told_how_not_to() {
    let text = "import demo.layers\nfrom demo import ops\nfrom . import layers\nimport demonstration\n";
    assert_eq!(lines(text), [1, 2]);
}

#[test]
fn a_file_that_cannot_be_read_is_one_finding() {
    for bytes in [&b"def f(:\n"[..], b"x = '\xe9'\n", b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", b"\0"] {
        let finding = PythonSource::parse("bad.py", bytes).expect_err("it is no Python");
        assert_eq!(finding.code.id, "python/unreadable");
        assert!(finding.message.contains("bad.py"));
    }
}

fn api(files: &[(&str, &str)]) -> PublicApi {
    let files: BTreeMap<String, PythonSource> =
        files.iter().map(|(path, text)| ((*path).to_owned(), parse(path, text))).collect();
    public_api(&files)
}

#[test]
fn public_names_are_read_in_all_their_forms() {
    let names = |text: &str| {
        let api = api(&[("__init__.py", text), ("more.py", "__all__ = ['m', 'n']\n")]);
        (api.declared, api.others, api.unknown)
    };
    let known = |expected: &[&str]| (true, expected.iter().map(ToString::to_string).collect(), Vec::new());
    assert_eq!(names("__all__ = ['a', 'b']\n"), known(&["a", "b"]));
    assert_eq!(names("__all__ = ('a', 'b')\n"), known(&["a", "b"]));
    assert_eq!(names("__all__: list[str] = ['a']\n__all__ += ['b']\n"), known(&["a", "b"]));
    assert_eq!(names("__all__ = ['a'] + ['b', 'a']\n"), known(&["a", "b"]));
    assert_eq!(names("from . import more\n__all__ = ['a', *more.__all__]\n"), known(&["a", "m", "n"]));
    assert_eq!(names("from . import more\n__all__ = ['a'] + more.__all__\n"), known(&["a", "m", "n"]));
    assert_eq!(
        names("__all__ = ['a']\n__all__.append('b')\n__all__.extend(['c'])\n"),
        known(&["a", "b", "c"])
    );
    assert_eq!(names("x = 1\n"), (false, Vec::new(), Vec::new()));
    assert_eq!(names("__all__ = make()\n"), (true, Vec::new(), vec!["make()".to_owned()]));
}

#[test]
fn functions_and_layers_are_described_where_they_are_defined() {
    let api = api(&[
        (
            "__init__.py",
            "from . import layers\nfrom .functional import relu as rectify\n__all__ = ['rectify', 'layers', 'VERSION']\nVERSION = 1\n",
        ),
        (
            "functional.py",
            "def relu(x: 'Tensor', *,\n    out=None) -> 'Tensor':\n    '''\n    Rectifies.\n\n    More.\n    '''\n    match x:\n        case _: pass\n",
        ),
        (
            "layers.py",
            "import torch.nn as nn\nclass ReLU(nn.Module):\n    \"\"\"A layer.\"\"\"\nclass _Hidden: ...\n",
        ),
    ]);
    assert_eq!(
        api.functions,
        [Function {
            name: "rectify".to_owned(),
            signature: "(x: 'Tensor', *, out=None) -> 'Tensor'".to_owned(),
            summary: "Rectifies.".to_owned()
        }]
    );
    assert_eq!(
        api.layers,
        [Layer { name: "ReLU".to_owned(), forward: None, summary: "A layer.".to_owned() }]
    );
    assert_eq!(api.others, ["VERSION"]);
}
