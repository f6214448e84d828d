//! The eight wrong ways to register an operator are found, and none of the good ones is.

use std::collections::BTreeMap;

use kernel_spec::Severity;

use super::*;

fn parse(path: &str, text: &str) -> PythonSource {
    PythonSource::parse(path, text.as_bytes()).expect("the text is Python")
}

/// The findings of a package `demo` of these files.
fn judged(files: &[(&str, &str)]) -> Vec<Finding> {
    let files: BTreeMap<String, PythonSource> =
        files.iter().map(|(path, text)| ((*path).to_owned(), parse(path, text))).collect();
    findings(&files, "demo", &files.keys().cloned().collect())
}

fn lines(text: &str) -> Vec<u32> {
    let findings = judged(&[("ops.py", text)]);
    findings.iter().filter_map(|finding| finding.span.as_ref()).map(|span| span.line).collect()
}

/// The severity and the code of each finding about a file that begins with the usual imports.
fn told(text: &str) -> Vec<(Severity, &'static str)> {
    let text = format!(
        "import torch, functools, importlib\nfrom functools import partial\n\
         from ._ops import add_op_namespace_prefix as own, ops\n{text}\n"
    );
    judged(&[("ops.py", &text)]).iter().map(|finding| (finding.severity, finding.code.id)).collect()
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

torch.library.Library(own_namespace := add_op_namespace_prefix("").split("::")[0], "FRAGMENT")
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
}

#[test]
fn an_operator_that_is_named_in_a_roundabout_way_is_found() {
    for text in [
        "torch.library.custom_op('{}::a'.format('demo'), mutates_args=())",
        "torch.library.custom_op('{ns}::{0}'.format('a', ns='demo'), mutates_args=())",
        "torch.library.custom_op('%s::%s' % ('demo', 'a'), mutates_args=())",
        "torch.library.custom_op('::'.join(['demo', 'a']), mutates_args=())",
        "torch.library.custom_op('::'.join(('demo', 'a')), mutates_args=())",
        "torch.library.custom_op(str('demo::a'), mutates_args=())",
        "NAME = 'demo'\ntorch.library.custom_op(f'{NAME}::a', mutates_args=())",
        "def register(name):\n  torch.library.custom_op(f'demo::{name}', mutates_args=())",
        "class C:\n  NAME = 'demo::a'\n  @torch.library.custom_op(NAME, mutates_args=())\n  def f(x): ...",
        "class C:\n  NAME = 'demo::a'\ntorch.library.custom_op(C.NAME, mutates_args=())",
        "class C:\n  NAME = 'demo::a'\n  def f(self): torch.library.register_fake(self.NAME)",
        "for name in ('demo::a', 'demo::b'):\n  torch.library.register_fake(name)",
        "for name, f in (('demo::a', 1), ('demo::b', 2)):\n  torch.library.register_fake(name)(f)",
        "NAMES = {'demo::a': 1}\nfor name in NAMES:\n  torch.library.register_fake(name)",
        "[torch.library.register_fake('demo::' + name) for name in ('a', 'b')]",
        "torch.library.custom_op(*('demo::a',), mutates_args=())",
        "ARGUMENTS = ['demo::a']\ntorch.library.custom_op(*ARGUMENTS, mutates_args=())",
        "torch.library.custom_op(**{'name': 'demo::a', 'mutates_args': ()})",
        "KEYWORDS = dict(name='demo::a', mutates_args=())\ntorch.library.custom_op(**KEYWORDS)",
        "functools.partial(torch.library.custom_op, 'demo::a')(mutates_args=())",
        "register = partial(torch.library.custom_op, mutates_args=())\n@register('demo::a')\ndef f(x): ...",
        "from torch.library import *\ncustom_op('demo::a', mutates_args=())",
        "getattr(torch.library, 'custom_op')('demo::a', mutates_args=())",
        "register = getattr(torch.library, 'custom_' + 'op')\nregister('demo::a', mutates_args=())",
        "importlib.import_module('torch.library').custom_op('demo::a', mutates_args=())",
        "__import__('torch').library.custom_op('demo::a', mutates_args=())",
        "vars(torch.library)['custom_op']('demo::a', mutates_args=())",
        "import torch.library as library\nlibrary.triton_op('demo::a', mutates_args=())",
        "from torch import library\nlibrary.register_fake('demo::a')",
        "torch.library.impl_abstract('demo::a')",
        "torch.library.register_kernel('demo::a', 'cpu')",
        "torch.library.register_autograd('demo::a', None)",
        "torch.library.define('demo::a', '() -> ()')",
        "torch.library.Library('demo', 'DEF')",
        "torch.library.Library('demo', 'FRAGMENT')",
        "torch.library.Library('demo', kind='IMPL')",
        "torch.library.Library('aten', 'FRAGMENT')",
        "torch.library.custom_op('aten::a', mutates_args=())",
        "torch.library.custom_op('_demo_cpu_abc::a', mutates_args=())",
        "def add_op_namespace_prefix(name): return 'demo::' + name\n\
         torch.library.custom_op(add_op_namespace_prefix('a'), mutates_args=())",
        "prefix = lambda name: f'demo::{name}'\ntorch.library.custom_op(prefix('a'), mutates_args=())",
        "torch.library.custom_op(('demo::a', 'b')[0], mutates_args=())",
        "torch.library.custom_op({'x': 'demo::a'}['x'], mutates_args=())",
        "torch.library.custom_op('DEMO::A'.lower(), mutates_args=())",
        "torch.library.custom_op('a' if torch else 'demo::a', mutates_args=())",
        "torch.ops.demo.a(1)",
        "getattr(torch.ops, 'demo').a(1)",
        "torch.library.register_fake(torch.ops.demo.a)",
        "torch.library.custom_op(own('demo::a'), mutates_args=())",
        "name = 'demo::a'\ntorch.library.register_fake(own(op_name=name))",
        "NAME = own('aten::a')",
        "from ._ops import add_op_namespace_prefix as p\np('::a')",
        // What `torch.library` is made of, and what was there before it.
        "torch.library._scoped_library('demo', 'DEF')",
        "L = torch.library\nwith L._scoped_library('demo', 'FRAGMENT') as l:\n  l.define('f() -> ()')",
        "from torch.library import _scoped_library as scoped\nscoped(ns='demo', kind='DEF')",
        "torch._C._dispatch_library('DEF', 'demo', '')",
        "from torch._C import _dispatch_library\n_dispatch_library('FRAGMENT', 'demo', '')",
        "torch._library.custom_ops.custom_op('demo::a', mutates_args=())",
        "from torch._library.custom_ops import custom_op\ncustom_op('demo::a', mutates_args=())",
        "import torch._library as inner\ninner.triton_op('demo::a', mutates_args=())",
        "torch._library.triton.triton_op('demo::a', mutates_args=())",
        "torch.library._library.custom_ops.custom_op('demo::a', mutates_args=())",
        "torch._library.custom_ops.library.Library('demo', 'DEF')",
        "torch._library.simple_registry.singleton.find('demo::a').fake_impl.register(f, 's')",
        "torch._library.fake_class_registry.register_fake_class('demo::A')",
        "torch.library._register_effectful_op('demo::a', 1)",
        "torch._custom_ops.custom_op('demo::a')",
        "from torch._custom_op.impl import custom_op\ncustom_op(qualname='demo::a')",
        "torch._custom_ops.impl_abstract('demo::a')",
        "torch._library.custom_ops.CustomOpDef('demo', 'a', '() -> ()', f)",
        "torch._library.custom_ops.get_library_allowing_overwrite('demo', 'a').define('a() -> ()')",
        "torch._custom_op.impl.CustomOp(None, 'demo', 'a', None)",
        "torch._C._dispatch_has_kernel('demo::a')",
        "for register in [torch.library.custom_op]:\n  register('demo::a', mutates_args=())",
        "{'r': torch.library.custom_op}['r']('demo::a', mutates_args=())",
        "WAYS = (torch.library.custom_op, print)\nWAYS[0]('demo::a', mutates_args=())",
        "class Mine(torch.library.Library): ...\nMine('demo', 'DEF')",
        "class Mine(torch.library.Library): ...\nclass Other(Mine): ...\nOther('demo', 'DEF')",
    ] {
        let told = told(text);
        assert!(told.contains(&(Severity::Error, "python/unprefixed-operator")), "{text}: {told:?}");
    }
}

#[test]
fn what_is_the_kernels_own_or_none_of_its_business_is_left_alone() {
    for text in [
        "torch.library.register_fake('aten::relu')",
        "torch.library.Library('aten', 'IMPL')",
        "torch.ops.aten.relu(1)",
        "torch.ops.torchvision.nms(1)",
        "torch.ops.load_library('x')",
        "torch.library.register_fake(ops.a)",
        "torch.library.register_fake(ops.a.default)",
        "@torch.library.custom_op(own('a'), mutates_args=())\ndef f(x): ...\ntorch.library.register_fake(f)",
        "for name in ('a', 'b'):\n  torch.library.register_fake(own(name))",
        "torch.library.custom_op(f\"{own('a')}\", mutates_args=())",
        "torch.library.custom_op('{}'.format(own('a')), mutates_args=())",
        "torch.library.custom_op('%s' % own('a'), mutates_args=())",
        "torch.library.custom_op(''.join([own('a')]), mutates_args=())",
        "torch.library.Library(own('a').split('::')[0], 'FRAGMENT')",
        "torch.library.Library(own('a').partition('::')[0], 'FRAGMENT')",
        "def prefix(name): return own(name)\ntorch.library.custom_op(prefix('a'), mutates_args=())",
        "register = partial(torch.library.custom_op, own('a'))",
        "from ._ops import *\ntorch.library.custom_op(add_op_namespace_prefix('a'), mutates_args=())",
        "def a():\n  name = 'demo::a'\ndef b():\n  name = own('b')\n  torch.library.register_fake(name)",
        "class Registry:\n  def register_fake(self, name): ...\nRegistry().register_fake('demo::a')",
        "library = torch.library.Library('aten', 'IMPL')\ntorch.library.impl(library, 'f', 'CPU')",
        "torch.library.wrap_triton(1)",
        "torch.library.opcheck(ops.a, ())",
        "with torch.library._scoped_library('aten', 'IMPL') as l:\n  torch.library.impl(l, 'f', 'CPU')",
        "torch._C._dispatch_library('IMPL', 'aten', 'CPU')",
        "torch._C._dispatch_has_kernel_for_dispatch_key('aten::relu', 'CPU')",
        "torch._library.infer_schema.infer_schema(f, mutates_args=())",
        "torch._library.custom_ops.custom_op(own('a'), mutates_args=())",
        "torch._C._dispatch_tls_set_dispatch_key_excluded(1, True)",
        "@functools.lru_cache(None)\ndef prefix(name): return own(name)\n\
         torch.library.custom_op(prefix('a'), mutates_args=())",
        "class Names:\n  prefix = own\ntorch.library.custom_op(own('a'), mutates_args=())",
        "class Layer(torch.nn.Module): ...\nLayer('demo', 'DEF')",
        "isinstance(x, torch.library.Library)",
        "hasattr(torch.library, 'custom_op')",
    ] {
        assert_eq!(told(text), [], "{text}");
    }
}

#[test]
fn what_cannot_be_judged_is_said_to_be_so() {
    use Severity::{Note, Warning};
    for (text, severity, code) in [
        ("torch.library.register_fake(unknown())", Note, "python/unjudged"),
        ("def f(name):\n  torch.library.register_fake(name)", Note, "python/unjudged"),
        ("torch.library.register_fake(*unknown())", Note, "python/unjudged"),
        ("torch.library.custom_op(mutates_args=(), **unknown())", Note, "python/unjudged"),
        ("getattr(torch.library, unknown())('demo::a')", Note, "python/unjudged"),
        ("importlib.import_module(unknown())", Note, "python/unjudged"),
        ("torch.library.custom_op(ops.__name__ + '::a', mutates_args=())", Note, "python/unjudged"),
        ("torch.library.custom_op(f\"demo_{own('a')}\", mutates_args=())", Note, "python/unjudged"),
        (
            "def own(name): return f'demo::{name}'\ntorch.library.custom_op(own('a'), mutates_args=())",
            Warning,
            "python/unprefixed-operator",
        ),
        (
            "own = lambda name: f'demo::{name}'\ntorch.library.custom_op(own('a'), mutates_args=())",
            Warning,
            "python/unprefixed-operator",
        ),
        (
            "torch.library.register_fake(own('a' if torch else 'demo::a'))",
            Warning,
            "python/unprefixed-operator",
        ),
        ("torch.library.register_fake('other::a')", Warning, "python/unprefixed-operator"),
        ("getattr(torch._library, unknown())('demo::a')", Note, "python/unjudged"),
        ("unknown(torch.library.custom_op, 'demo::a')", Note, "python/unjudged"),
        ("list(map(torch.library.register_fake, unknown()))", Note, "python/unjudged"),
        // The helper, or what stands for it, is something else by then.
        ("own = unknown()\ntorch.library.custom_op(own('a'), mutates_args=())", Note, "python/unjudged"),
        (
            "def prefix(name): return own(name)\nprefix = unknown(prefix)\n\
             torch.library.custom_op(prefix('a'), mutates_args=())",
            Note,
            "python/unjudged",
        ),
        (
            "@unknown\ndef prefix(name): return own(name)\ntorch.library.custom_op(prefix('a'), mutates_args=())",
            Note,
            "python/unjudged",
        ),
        (
            "for own in unknown(): pass\ntorch.library.custom_op(own('a'), mutates_args=())",
            Note,
            "python/unjudged",
        ),
        (
            "from elsewhere import add_op_namespace_prefix as own\ntorch.library.custom_op(own('a'), mutates_args=())",
            Note,
            "python/unjudged",
        ),
        (
            "from . import _ops\n_ops.add_op_namespace_prefix = unknown\ntorch.library.custom_op(own('a'))",
            Note,
            "python/unjudged",
        ),
        (
            "from . import _ops\nsetattr(_ops, 'add_op_namespace_prefix', unknown)\ntorch.library.custom_op(own('a'))",
            Note,
            "python/unjudged",
        ),
        (
            "if torch:\n  n = own('a')\nelse:\n  n = 'demo::a'\ntorch.library.custom_op(n)",
            Warning,
            "python/unprefixed-operator",
        ),
    ] {
        assert_eq!(told(text), [(severity, code)], "{text}");
    }
}

#[test]
fn names_are_followed_from_file_to_file() {
    let errors = |files: &[(&str, &str)]| -> Vec<String> {
        judged(files).iter().map(|finding| finding.message.clone()).collect()
    };
    let layers = "import torch\nfrom .names import NAME\ntorch.library.custom_op(NAME, mutates_args=())\n";
    let literal = "NAME = 'demo::a'\n";
    let told = errors(&[("layers.py", layers), ("names.py", literal)]);
    assert!(told.len() == 1 && told[0].contains("\"demo::a\", as `NAME`"), "{told:?}");
    let prefixed = "from ._ops import add_op_namespace_prefix\nNAME = add_op_namespace_prefix('a')\n";
    assert_eq!(errors(&[("layers.py", layers), ("names.py", prefixed)]), [""; 0]);
    // The helper by way of another module, and one that only has its name.
    let uses = "import torch\nfrom ..helper import add_op_namespace_prefix as p\n\
                torch.library.custom_op(p('a'), mutates_args=())\n";
    let handed_on = "from ._ops import add_op_namespace_prefix\n";
    assert_eq!(errors(&[("sub/a.py", uses), ("helper.py", handed_on)]), [""; 0]);
    let fake = "def add_op_namespace_prefix(name):\n    return f'demo::{name}'\n";
    assert_eq!(errors(&[("sub/a.py", uses), ("helper.py", fake)]).len(), 1);
    let beside = uses.replace("..helper", "._ops");
    assert_eq!(errors(&[("sub/a.py", &beside), ("sub/_ops.py", fake)]).len(), 1, "another `_ops`");
    // Whoever defines operators in a namespace means his own.
    let defines = "import torch\nlibrary = torch.library.Library('mine', 'DEF')\n";
    let uses = "import torch\ntorch.library.register_fake('mine::a')\ntorch.ops.mine.a(1)\n";
    assert_eq!(errors(&[("a.py", defines), ("b.py", uses)]).len(), 3);
    // The generated file itself is right.
    let generated = "import torch\nops = torch.ops._demo_cpu_abc\n";
    assert_eq!(errors(&[("_ops.py", generated)]), [""; 0]);
}

#[test]
fn what_is_nested_beyond_all_reason_is_refused() {
    let nested = |text: String| {
        let finding = PythonSource::parse("deep.py", text.as_bytes()).expect_err("it is too deep");
        assert!(finding.message.contains("nested too deeply"), "{}", finding.message);
    };
    let many = 200_000;
    nested(format!("x = {}1\n", "1+".repeat(many)));
    nested(format!("x = a{}\n", ".b".repeat(many)));
    nested(format!("x = a{}\n", "()".repeat(many)));
    nested(format!("x = {}1\n", "-".repeat(many)));
    nested(format!("x = {}1\n", "lambda a, b: ".repeat(many)));
    nested(format!("x = {}1{}\n", "(".repeat(many), ")".repeat(many)));
    nested(format!("x = {}1{}\n", "[1, ".repeat(many), "]".repeat(many)));
    nested((0..500).map(|at| format!("{}if a:\n", " ".repeat(at))).collect::<String>());
    // Long is not deep.
    let many = 20_000;
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
        assert_eq!(findings(&files, "demo", &BTreeSet::new()), []);
        assert!(files["deep.py"].uses().is_empty());
    }
}

#[test]
fn circles_and_endless_names_come_to_an_end() {
    let circle = "import torch\na = b\nb = a\ntorch.library.register_fake(a)\n\
                  def f(x): return f(x + x)\ntorch.library.register_fake(f('a'))\n";
    assert_eq!(lines(circle).len(), 2);
    let files =
        [("a.py", "from .b import *\nfrom .b import x\n"), ("b.py", "from .a import *\nfrom .a import x\n")];
    assert_eq!(judged(&files), []);
    let doubled = (0..64).map(|at| format!("x{} = x{at} + x{at}\n", at + 1)).collect::<String>();
    assert_eq!(lines(&format!("import torch\nx0 = 'a'\n{doubled}torch.library.register_fake(x64)\n")), [67]);
}

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
fn what_the_oldest_python_lacks_is_told() {
    use Severity::{Error, Warning};
    for (text, severity) in [
        ("match x:\n  case _: pass", Warning),
        ("type Size = int", Error),
        ("def f[T](x: T) -> T: ...", Error),
        ("class C[T]: ...", Error),
        ("try: pass\nexcept* ValueError: pass", Error),
        ("x = f'{'a'}'", Error),
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
        (b"\n\n# coding: latin-1\nx = '\xe9'\n", "not UTF-8"),
        (b"x = 1\n# coding: latin-1\ny = '\xe9'\n", "not UTF-8"),
        (b"# coding: utf-8\nx = '\xe9'\n", "not UTF-8"),
        (b"# coding: ascii\nx = '\xe9'\n", "does not have"),
        (b"# coding: cp1252\nx = '\x81'\n", "does not have"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "mark of UTF-8"),
        (b"# coding: utf-7\nx = 1\n", "`utf-7`"),
        (b"# vim: set fileencoding=unicode_escape :\nx = 1\n", "`unicode_escape`"),
        (b"#!/usr/bin/python\r# coding: shift_jis\rx = 1\r", "`shift_jis`"),
        (b"\0", "not valid Python"),
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
    let found = findings(&files, "demo", &BTreeSet::new());
    assert_eq!(found.first().and_then(|finding| finding.span.as_ref()).map(|span| span.line), Some(4));
}

#[test]
fn the_builds_that_a_generated_module_names_are_those_it_runs_with() {
    let named = |text: &str| {
        let is_id = |word: &str| word.starts_with("_demo_");
        builds(parse("_ops.py", text), "demo", &is_id).into_iter().collect::<Vec<_>>()
    };
    let own = "_demo_cpu_x";
    for text in [
        "from . import _demo_cpu_x\nimport torch\nops = torch.ops._demo_cpu_x\n",
        "import torch\nops = getattr(torch.ops, '_demo_cpu_x')\n",
        "def f(name):\n    '''Of `_demo_cpu_y::f`.'''\n    return f'_demo_cpu_x::{name}' # _demo_cpu_z\n",
        "path = '_demo_cpu_x.so'\n",
        "import torch\nx = torch.ops.aten.relu, torch.ops._demo_cpu_x.f, torch.ops.load_library('x')\n",
    ] {
        assert_eq!(named(text), [own], "{text}");
    }
    for (text, other) in [
        ("from . import _demo_cpu_x\nimport torch\nops = torch.ops._demo_cpu_y\n", "_demo_cpu_y"),
        ("from . import _demo_cpu_x, _other\n", "_other"),
        ("from . import _demo_cpu_x\nimport torch\nops = torch.ops.other\n", "other"),
        ("from . import _demo_cpu_x\ndef f(name): return f'other::{name}'\n", "other"),
        ("from . import _demo_cpu_x\ndef f(name): return '_demo_cpu_y' + '::' + name\n", "_demo_cpu_y"),
        ("import torch\nx = '_demo_cpu_x'\nops = getattr(torch.ops, 'ot' + 'her')\n", "other"),
    ] {
        assert_eq!(named(text), [own, other], "{text}");
    }
    assert_eq!(named("# _demo_cpu_x\n'''_demo_cpu_x'''\n"), [""; 0]);
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
    let told = findings(&sources, "demo", &paths);
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

#[test]
fn a_registering_function_is_followed_through_what_holds_it() {
    for text in [
        "def reg(name, co=torch.library.custom_op): return co('demo::' + name, mutates_args=())",
        "def reg(co=torch.library.custom_op): return co('demo::a', mutates_args=())",
        "class K:\n    op = torch.library.custom_op\nK.op('demo::a', mutates_args=())",
        "class K:\n    def __init__(self): self.lib = torch.library\n    def go(self): self.lib.custom_op('demo::a')",
        "def co(): return torch.library.custom_op\nco()('demo::a', mutates_args=())",
        "def f():\n    global co\n    from torch.library import custom_op as co\nf()\nco('demo::a', mutates_args=())",
        "(g := torch.library.custom_op)('demo::a', mutates_args=())",
        "(None or torch.library.custom_op)('demo::a', mutates_args=())",
    ] {
        let told = told(text);
        assert!(told.contains(&(Severity::Error, "python/unprefixed-operator")), "{text} {told:?}");
    }
    for text in [
        "def reg(name, co=torch.library.custom_op): return co(own(name), mutates_args=())",
        "class K:\n    op = torch.library.custom_op\nK.op(own('a'), mutates_args=())",
        "class K:\n    def op(self, name): return name\nK().op('demo::a')",
        "def co(): return print\nco()('demo::a')",
    ] {
        let told = told(text);
        assert!(told.iter().all(|(severity, _)| *severity == Severity::Note), "{text} {told:?}");
    }
}

/// Whatever way leads to a registration, something is said of it.
#[test]
fn no_registration_is_passed_over_in_silence() {
    for text in [
        "import operator\noperator.attrgetter(\"custom_op\")(torch.library)(\"demo::f\", mutates_args=())(f)",
        "import operator\noperator.attrgetter(\"library.custom_op\")(torch)(\"demo::f\", mutates_args=())(f)",
        "import operator\noperator.methodcaller(\"register_fake\", \"demo::f\")(torch.library)",
        "n = \"demo\"\nn += \"::foo\"\ntorch.library.custom_op(n, mutates_args=())(f)",
        "n = \"other\"\nn += \"::foo\"\ntorch.library.custom_op(n, mutates_args=())(f)",
        "def g(k):\n match k:\n  case \"demo::f\" as n:\n   torch.library.custom_op(n, mutates_args=())(f)",
        "def g(k):\n match k:\n  case \"demo::f\":\n   torch.library.custom_op(k, mutates_args=())(f)",
        "match \"demo::f\":\n case n:\n  torch.library.custom_op(n, mutates_args=())(f)",
        "torch.library.custom_op(__name__ + \"::f\", mutates_args=())(f)",
        "torch.library.custom_op(f\"{__package__}::f\", mutates_args=())(f)",
        "torch.library.Library(__name__, \"DEF\")",
        "torch.library.__dict__[\"custom_op\"](\"demo::f\", mutates_args=())(f)",
        "vars(torch.library)[\"custom_op\"](\"demo::f\", mutates_args=())(f)",
        "register = {\"a\": torch.library.custom_op}\nregister[\"a\"](\"demo::f\", mutates_args=())(f)",
        "match torch.library:\n case l:\n  l.custom_op(\"demo::f\", mutates_args=())(f)",
    ] {
        assert!(!told(text).is_empty(), "{text}");
    }
    assert_eq!(told("print(\"custom_op\")\nx = {\"define\": 1}\nx.get(\"define\")"), []);
}
