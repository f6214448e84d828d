//! Packages that Python cannot import, although every file of them compiles, and packages that look like them.

use std::collections::BTreeMap;

use super::super::*;
use super::parse;

/// The findings of a package that depends on `einops`. A file begins with a line of its name behind three dashes; the first is
/// `__init__.py`.
fn told(package: &str) -> Vec<String> {
    let files: BTreeMap<String, PythonSource> = format!("--- __init__.py\n{package}")
        .split("--- ")
        .filter_map(|file| file.split_once('\n'))
        .map(|(path, text)| (path.to_owned(), parse(path, text)))
        .collect();
    let told = findings(&files, "demo", &files.keys().cloned().collect(), Some(&["einops".to_owned()]));
    // Patterns are newer than the oldest Python.
    let told = told.iter().filter(|finding| finding.code.id != "python/too-new");
    told.map(|finding| format!("{} {}", finding.code.id, finding.message)).collect()
}

#[test]
fn names_that_no_import_finds_are_told() {
    for (package, name) in [
        ("from .a import T\n--- a.py\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  T = 1\n", "T"),
        (
            "from .a import T\n--- a.py\nimport typing\nif typing.TYPE_CHECKING:\n  from torch import Tensor as T\n",
            "T",
        ),
        ("from .a import T\n--- a.py\nif __name__ == '__main__':\n  T = 1\n", "T"),
        ("from .a import T\n--- a.py\nT: int\n", "T"),
        ("from .a import T\n--- a.py\nT = 1\ndel T\n", "T"),
        ("from .a import T\n--- a.py\nT, U = 1, 2\ndel (T, U)\n", "T"),
        ("from .a import e\n--- a.py\ntry:\n  1 / 0\nexcept ZeroDivisionError as e:\n  pass\n", "e"),
        ("from .a import q\n--- a.py\n[q for q in range(3)]\n", "q"),
        ("from .a import q\n--- a.py\ndef f(q): ...\n", "q"),
    ] {
        assert_eq!(told(package), [format!("python/not-there `.a` has no `{name}`")], "{package}");
    }
    for list in ["from .a import T\ndel T\n", "[T for T in range(3)]\n", "T: int\n", "def f():\n  T = 1\n"] {
        let expected = "python/not-there `__all__` of `__init__.py` lists `T`, which is not there";
        assert_eq!(told(&format!("{list}__all__ = ['T']\n--- a.py\nT = 1\n")), [expected], "{list}");
    }
}

#[test]
fn names_that_an_import_may_find_are_left_alone() {
    for package in [
        "from .a import T\n--- a.py\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  T = 1\nelse:\n  T = 2\n",
        "from .a import T\n--- a.py\nfrom typing import TYPE_CHECKING\nif not TYPE_CHECKING:\n  T = 2\n",
        "from .a import T\n--- a.py\nif __name__ != '__main__':\n  T = 1\n",
        "from .a import T\n--- a.py\nT = 1\ndel T\nT = 2\n",
        "from .a import T\n--- a.py\nT = 1\nif T > 2:\n  del T\n",
        "from .a import T\n--- a.py\nT = 1\ntry:\n  del T\nexcept NameError:\n  pass\n",
        "from .a import T\n--- a.py\nT = 1\ndef f():\n  global T\n  del T\n",
        "from .a import e\n--- a.py\ne = None\ntry:\n  1 / 0\nexcept ValueError as e:\n  pass\n",
        "from .a import e\n--- a.py\ntry:\n  1 / 0\nexcept ZeroDivisionError as error:\n  e = error\n",
        "from .a import q, r, s, t, u, v, w\n--- a.py\nif (q := 3): pass\n[r := i for i in range(3)]\nmatch 3:\n  case s: pass\n\
         with open('x') as (t, u): pass\nfor v in (1, 2): pass\nclass w: ...\n",
        // It is asked for before it is gone.
        "from .a import f\n--- a.py\nT = 1\nfrom .b import f\ndel T\n--- b.py\nfrom .a import T\ndef f(): ...\n",
        "from .a import f\n--- a.py\nT = 1\nfrom .b import f\ndel T\n--- b.py\nfrom .a import *\nfrom .c import g\n\
         def f(): ...\n--- c.py\nfrom .b import T\ng = 1\n",
    ] {
        assert_eq!(told(package), [""; 0], "{package}");
    }
}

#[test]
fn imports_that_go_in_a_circle_and_come_too_early_are_told() {
    for (package, message) in [
        (
            "from .a import f\n--- a.py\nfrom .b import g\ndef f(): ...\n--- b.py\nfrom .a import f\ndef g(): ...\n",
            "`a.py` has no `f` yet when `b.py` imports it",
        ),
        (
            "from .a import f\nVERSION = 1\n--- a.py\nfrom . import VERSION\ndef f(): ...\n",
            "`__init__.py` has no `VERSION` yet when `a.py` imports it",
        ),
        (
            "from . import VERSION\nVERSION = 1\n",
            "`__init__.py` imports `VERSION` from itself before it has it",
        ),
        (
            "from . import a\n--- a/__init__.py\nfrom .b import g\nf = 1\n--- a/b.py\nfrom ..c import h\ng = 1\n\
             --- c.py\nfrom .a import f\nh = 1\n",
            "`a/__init__.py` has no `f` yet when `c.py` imports it",
        ),
    ] {
        assert_eq!(told(package), [format!("python/not-there {message}")], "{package}");
    }
    for package in [
        "from .a import f\n--- a.py\ndef f(): ...\nfrom .b import g\n--- b.py\nfrom .a import f\ndef g(): ...\n",
        "from .a import f\n--- a.py\nfrom . import b\ndef f(): ...\n--- b.py\nfrom . import a\ndef g(): ...\n",
        "from .a import f\n--- a.py\nfrom .b import g\ndef f(): ...\n--- b.py\ndef g():\n  from .a import f\n",
        "from . import _ops, _demo_cpu_x\nfrom .a import f\n--- a.py\nfrom . import _ops\ndef f(): ...\n",
        "VERSION = 1\nfrom .a import f\n--- a.py\nfrom . import VERSION\ndef f(): ...\n",
        // What comes first is known only when it runs.
        "try:\n  from . import b\nexcept ImportError:\n  b = None\nfrom .a import f\n\
         --- a.py\nfrom .b import g\ndef f(): ...\n--- b.py\nfrom .a import f\ndef g(): ...\n",
        "import importlib\nimportlib.import_module('.b', __name__)\nfrom .a import f\n\
         --- a.py\nfrom .b import g\ndef f(): ...\n--- b.py\nfrom .a import f\ndef g(): ...\n",
        "from .a import f\n--- a.py\nfrom . import b, c\ndef f(): ...\n--- b.py\nfrom . import c\n--- c.py\nfrom . import a, b\n",
    ] {
        assert_eq!(told(package), [""; 0], "{package}");
    }
}

#[test]
fn packages_that_nothing_asks_for_are_told_where_they_are_always_imported() {
    let told_of = |name: &str| {
        format!(
            "python/undeclared `{name}` is imported whenever the kernel is loaded, and nothing asks for it"
        )
    };
    assert_eq!(told("import scipy.special\nfrom scipy import stats\n"), [told_of("scipy")]);
    assert_eq!(told("from . import a\n--- a.py\nimport helion\n"), [told_of("helion")]);
    for package in [
        "import einops, torch, triton, numpy, os.path, packaging.version\n",
        "try:\n  import scipy\nexcept ImportError:\n  scipy = None\n",
        "import torch\nif torch.cuda.is_available():\n  import scipy\n",
        "def f():\n  import scipy\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import scipy\n",
        "x = 1\n--- tests.py\nimport scipy\n",
    ] {
        assert_eq!(told(package), [""; 0], "{package}");
    }
}
