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

#[test]
fn a_list_that_is_none_or_holds_no_names_is_told() {
    let told = |text: &str| -> Vec<String> {
        let files = [("__init__.py", text), ("functional.py", "def relu(x): ...\n")];
        judged(&files).iter().map(|finding| format!("{} {}", finding.code.id, finding.message)).collect()
    };
    for (list, message) in [
        ("'relu'", "is a text, of which each letter would be a name"),
        ("{'relu'}", "is a set, which has no order"),
        ("{'relu': 1}", "is a table"),
        ("None", "is no list"),
        ("[relu]", "lists `relu` itself, not its name"),
        ("['relu', 1]", "lists `1`, which is no name"),
    ] {
        let expected = format!("python/not-there `__all__` of `__init__.py` {message}");
        assert_eq!(told(&format!("from .functional import relu\n__all__ = {list}\n")), [expected], "{list}");
    }
    for text in [
        "__all__ = {'relu'}\n__all__ = sorted(__all__)\n",
        "relu = 'relu'\n__all__ = [relu]\n",
        "x = 1\n__all__ = 'x'\n",
        "__all__ = []\nif x:\n  __all__ = 'xyz'\n",
    ] {
        assert_eq!(told(text), [""; 0], "{text}");
    }
}

#[test]
fn a_name_that_may_be_out_of_the_list_again_need_not_be_there() {
    for list in [
        "import sys\nif sys.platform == 'win32':\n  __all__ = ['relu', 'nope']\nelse:\n  __all__ = ['relu']\n",
        "__all__ = ['relu', 'nope']\n__all__.remove('nope')\n",
        "__all__ = ['relu', 'nope']\n__all__.pop()\n",
        "__all__ = ['relu', 'nope']\ndel __all__[-1]\n",
        "__all__ = ['relu', 'nope']\n__all__ = __all__[:1]\n",
        "__all__ = ['relu', 'nope']\n__all__[1:] = []\n",
        "__all__ = ['relu', 'nope']\nif x:\n  __all__ = ['relu']\n",
        "__all__ = ['relu', 'nope']\nfor name in ('nope', ):\n  __all__.remove(name)\n",
        "__all__ = ['relu']\ntry:\n  import nonexistent as nope\n  __all__ += ['nope']\nexcept ImportError:\n  pass\n",
        "__all__ = ['relu', 'nope']\ntry:\n  from .gone import nope\nexcept ImportError:\n  __all__.remove('nope')\n",
    ] {
        let told = judged(&[("__init__.py", &format!("def relu(x): ...\n{list}"))]);
        assert_eq!(told, [], "{list}");
    }
    let kept = "__all__ = ['relu', 'nope', 'other']\n__all__.remove('other')\n__all__.sort()\n";
    assert_eq!(judged(&[("__init__.py", kept), ("nope.py", "")]).len(), 1);
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
