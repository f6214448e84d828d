//! Imports of the package's own modules, and of what is not there.

use std::collections::BTreeMap;

use kernel_spec::Severity;

use super::super::*;
use super::{judged, lines, parse, told};

#[test]
fn a_package_that_imports_itself_is_told_how_not_to() {
    let text = "import demo.layers\nfrom demo import ops\nfrom . import layers\nimport demonstration\n";
    assert_eq!(lines(text), [1, 2]);
    for text in [
        "importlib.import_module('demo.layers')",
        "importlib.import_module('.layers', package='demo')",
        "importlib.import_module('.layers', 'demo')",
        "importlib.import_module('demo' + '.layers')",
        "__import__('demo')",
        "from importlib import import_module as load\nload('demo')",
        "import importlib.resources\nimportlib.resources.files('demo')",
    ] {
        assert_eq!(told(text), [(Severity::Error, "python/self-import")], "{text}");
    }
    for text in [
        "importlib.import_module('demonstration')",
        "importlib.import_module('.layers', __package__)",
        "importlib.import_module(f'{__name__}.layers')",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import demo",
        "if __name__ == '__main__':\n  import demo",
    ] {
        assert_eq!(told(text), [], "{text}");
    }
}

/// The severity, code and message of each finding about a package with two modules, a library and one more file.
fn imported(path: &str, text: &str) -> Vec<String> {
    let files = [
        ("__init__.py", "from .functional import relu\n__all__ = ['relu']\n"),
        ("functional.py", "def relu(x): ...\n"),
        ("layers/__init__.py", "class ReLU: ...\n"),
        ("layers/gated.py", "class Gated: ...\n"),
        ("hidden.py", "def __getattr__(name): ...\n"),
        ("stars.py", "from torch import *\n"),
        ("told.py", "globals()['x'] = 1\n"),
        ("types.py", "KIND = 1\n"),
        ("einops.py", "KIND = 1\n"),
        (path, text),
    ];
    let sources: BTreeMap<String, PythonSource> =
        files.iter().map(|(path, text)| ((*path).to_owned(), parse(path, text))).collect();
    let mut paths: BTreeSet<String> = sources.keys().cloned().collect();
    paths.extend(["layers", "data", "data/table.json", "native.abi3.so"].map(str::to_owned));
    let told = findings(&sources, "demo", &paths, Some(&[]));
    let line = |finding: &Finding| format!("{:?} {} {}", finding.severity, finding.code.id, finding.message);
    told.iter().map(line).collect()
}

#[test]
fn modules_of_the_package_are_imported_relatively() {
    let wrong = |name: &str| {
        format!(
            "Error python/self-import `{name}` is a module of the package, and is imported as if it were installed"
        )
    };
    for (path, text, name) in [
        ("extra.py", "from functional import relu", "functional"),
        ("extra.py", "from _ops import ops", "_ops"),
        ("extra.py", "import layers", "layers"),
        ("extra.py", "import layers.gated as gated", "layers"),
        ("extra.py", "import torch, native", "native"),
        ("extra.py", "import _demo_cpu_abc", "_demo_cpu_abc"),
        ("layers/extra.py", "from gated import Gated", "gated"),
        ("layers/extra.py", "from functional import relu", "functional"),
        ("extra.py", "try:\n    import layers\nexcept ValueError:\n    pass", ""),
    ] {
        let told = imported(path, text);
        if name.is_empty() {
            assert_eq!(told, [wrong("layers")], "{text}");
        } else {
            assert_eq!(told, [wrong(name)], "{path} {text}");
        }
    }
    for text in [
        "def f():\n    import layers",
        "if f():\n    import layers",
        "import layers\nif __name__ == '__main__':\n    layers.main()",
        "import importlib\nimportlib.import_module('layers')",
        "__import__('functional')",
    ] {
        let told = imported("extra.py", text);
        assert_eq!(told.len(), 1, "{text} {told:?}");
        assert!(told[0].starts_with("Warning python/self-import"), "{text} {told:?}");
    }
}

#[test]
fn what_is_installed_or_tried_first_is_imported_as_it_is() {
    for text in [
        "import types",
        "import einops, torch, numpy, triton, kernels, tvm_ffi",
        "import data",
        "try:\n    from functional import relu\nexcept ImportError:\n    from .functional import relu",
        "try:\n    from .functional import relu\nexcept (AttributeError, ImportError):\n    from functional import relu",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import layers",
        "if __name__ == '__main__':\n    import layers",
        "import sys\nsys.path.insert(0, '.')\nimport layers",
        "from .layers import gated",
        "import unheard_of",
        // A library that is called as a module of the package, which has no such thing.
        "from functional import fused\nfrom layers.norm import Norm\nimport layers.norm",
    ] {
        assert_eq!(imported("extra.py", text), [""; 0], "{text}");
    }
    // The module that adapts a library is called as that.
    assert_eq!(imported("dask.py", "import dask\nfrom dask import delayed"), [""; 0]);
}

#[test]
fn an_import_of_a_sibling_is_made_relative_by_one_edit() {
    for (path, text, mended) in [
        ("extra.py", "from functional import relu\n", Some("from .functional import relu\n")),
        ("layers/extra.py", "from functional import relu\n", Some("from ..functional import relu\n")),
        ("layers/extra.py", "import gated\n", Some("from . import gated\n")),
        ("extra.py", "import layers as l\n", Some("from . import layers as l\n")),
        ("extra.py", "import torch, layers\n", None),
        ("extra.py", "import layers.gated\n", None),
        ("extra.py", "import _demo_cpu_abc\n", None),
    ] {
        let others = [("functional.py", "relu = 1\n"), ("layers/__init__.py", ""), ("layers/gated.py", "")];
        let files: Vec<(&str, &str)> = others.into_iter().chain([(path, text)]).collect();
        let told = judged(&files);
        let [finding] = told.as_slice() else { panic!("{text} {told:?}") };
        let edited = finding.fix.as_ref().map(|fix| {
            let mut edited = text.to_owned();
            edited.replace_range(fix.bytes.0..fix.bytes.1, &fix.text);
            edited
        });
        assert_eq!(edited.as_deref(), mended, "{text}");
    }
}

#[test]
fn relative_imports_find_something() {
    for (path, text, message) in [
        ("extra.py", "from .nonexistent import x", "`.nonexistent` is no module of the package"),
        (
            "extra.py",
            "from ..utils import x",
            "`..utils` leads out of the package, which the loader imports alone",
        ),
        (
            "layers/extra.py",
            "from ...utils import x",
            "`...utils` leads out of the package, which the loader imports alone",
        ),
        ("extra.py", "from ._ops import nothing_here", "`._ops` has no `nothing_here`"),
        ("extra.py", "from .functional import nothing_here", "`.functional` has no `nothing_here`"),
        ("extra.py", "from . import nothing_here", "`.` has no `nothing_here`"),
        ("layers/extra.py", "from . import functional", "`.` has no `functional`"),
        ("layers/extra.py", "from ..layers.gated import ReLU", "`..layers.gated` has no `ReLU`"),
        ("extra.py", "from .data import table", "`.data` has no `table`"),
        ("extra.py", "try:\n    from . import gone\nfinally:\n    pass", "`.` has no `gone`"),
    ] {
        let told = imported(path, text);
        assert_eq!(told, [format!("Error python/not-there {message}")], "{path} {text}");
    }
    let told = imported("extra.py", "def f():\n    from .functional import gone");
    assert_eq!(told, ["Warning python/not-there `.functional` has no `gone`"]);
}

#[test]
fn relative_imports_that_find_something_or_may_are_left_alone() {
    for (path, text) in [
        ("extra.py", "from ._ops import add_op_namespace_prefix, ops"),
        ("extra.py", "from . import _ops, layers, functional, relu, native, _demo_cpu_abc, __name__"),
        ("extra.py", "from .layers import gated, ReLU\nfrom .layers.gated import Gated"),
        ("extra.py", "from .hidden import anything\nfrom .stars import anything\nfrom .told import anything"),
        ("extra.py", "from .native import anything\nfrom .functional import *"),
        ("extra.py", "from . import functional\nfunctional.more = 1\nfrom .functional import more"),
        ("extra.py", "try:\n    from .nonexistent import x\nexcept ImportError:\n    x = None"),
        ("extra.py", "import sys\nif sys.platform == 'darwin':\n    from .metal import x"),
        ("extra.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .nonexistent import x"),
        ("extra.py", "import contextlib\nwith contextlib.suppress(ImportError):\n    from .gone import x"),
        (
            "layers/extra.py",
            "from .. import relu\nfrom ..functional import relu as other\nfrom . import ReLU",
        ),
    ] {
        assert_eq!(imported(path, text), [""; 0], "{path} {text}");
    }
}

/// The names that a relative import may take from the generated module are those that the templates define.
#[test]
fn the_generated_modules_define_the_names_that_are_known() {
    let templates = concat!(env!("CARGO_MANIFEST_DIR"), "/../../templates/build/framework");
    let mut defined = BTreeSet::new();
    for framework in ["torch", "torch-noarch", "tvm-ffi"] {
        let text = fs_err::read_to_string(format!("{templates}/{framework}/_ops.py.j2")).expect("there");
        for line in text.lines() {
            let name = line.strip_prefix("def ").and_then(|line| line.split('(').next());
            let name = name.or_else(|| line.split_once(" = ").map(|(name, _)| name));
            let is_name = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
            defined.extend(name.filter(is_name).filter(|name| !name.starts_with('_')).map(str::to_owned));
        }
    }
    let defined: Vec<&str> = defined.iter().map(String::as_str).collect();
    assert_eq!(defined, package::GENERATED_NAMES);
}
