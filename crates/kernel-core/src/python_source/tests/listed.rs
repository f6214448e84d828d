//! `__all__`, and the public names that it lists.

use std::collections::BTreeMap;

use super::super::*;
use super::{judged, parse};

#[test]
fn a_listed_name_must_be_there() {
    let missing = |files: &[(&str, &str)]| -> Vec<String> {
        let is = |finding: &Finding| finding.code.id == "python/not-there";
        judged(files).iter().filter(|finding| is(finding)).map(|finding| finding.message.clone()).collect()
    };
    let told = missing(&[("__init__.py", "__all__ = ['relu', 'gelu']\ndef relu(x): ...\n")]);
    assert_eq!(told, ["`__all__` of `__init__.py` lists `gelu`, which is not there"]);
    for text in [
        "__all__ = ['layers', '_ops', '__version__']\n__version__ = '1'\n",
        "from .layers import *\n__all__ = ['Public']\n",
        "from somewhere import *\n__all__ = ['anything']\n",
        "__all__ = ['lazy']\ndef __getattr__(name): ...\n",
        "__all__ = ['made']\nglobals()['made'] = 1\n",
        "__all__ = ['a', 'b', 'c', 'd', 'e']\nif x:\n  a = 1\nfor b in x: pass\ntry:\n  import c\nexcept E: pass\n\
         with x as d: pass\ndef f():\n  global e\n  e = 1\n",
        "__all__ = make()\n",
    ] {
        assert_eq!(
            missing(&[("__init__.py", text), ("layers.py", "class Public: ...\n_private = 1\n")]),
            [""; 0],
            "{text}"
        );
    }
    let deeper = [
        (
            "sub/__init__.py",
            "from . import core\nfrom .core import *\n__all__ = ['a']\n__all__ += core.__all__\na = 1\n",
        ),
        ("sub/core.py", "__all__ = ['b']\nb = 1\n"),
        ("core.py", "__all__ = ['c']\nc = 1\n"),
    ];
    assert_eq!(missing(&deeper), [""; 0]);
    let private = "from .layers import *\n__all__ = ['_private']\n";
    assert_eq!(missing(&[("__init__.py", private), ("layers.py", "_private = 1\n")]).len(), 1);
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
            call: "(x)".to_owned(),
            summary: "Rectifies.".to_owned()
        }]
    );
    assert_eq!(
        api.layers,
        [Layer { name: "ReLU".to_owned(), forward: None, summary: "A layer.".to_owned() }]
    );
    assert_eq!(api.others, ["VERSION"]);
}
