//! The eight wrong ways to register an operator are found, and none of the good ones is.

use kernel_spec::Severity;

use super::super::*;
use super::{judged, lines, parse, told};

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
        "class Mine(torch.library.Library):\n  def __init__(self): super().__init__('demo', 'DEF')",
        "class Mine(torch.library.Library): ...\nclass Other(Mine):\n  def __init__(self): super(Other, self).__init__('demo', 'DEF')",
        "class Mine(torch.library.Library):\n  def __init__(self): torch.library.Library.__init__(self, 'demo', 'DEF')",
        // The module that `torch.ops` comes from.
        "torch._ops.ops.demo.a(1)",
        "from torch._ops import ops as torch_ops\ntorch_ops.demo.a(1)",
        "import torch._ops as inner\ninner.ops.demo.a(1)",
        // A name in another namespace than the library's.
        "library = torch.library.Library(own('').split('::')[0], 'FRAGMENT')\nlibrary.define('other::f() -> ()')",
        "library = torch.library.Library(own('').split('::')[0], 'FRAGMENT')\nlibrary.impl('other::f', f, 'CPU')",
        "library = torch.library.Library('aten', 'IMPL')\nlibrary.impl(op_name='other::f', fn=f)",
        // What is made of the helper's result.
        "torch.library.custom_op(own('a').split('::')[1], mutates_args=())",
        "torch.library.custom_op('demo::' + own('a').rpartition('::')[-1], mutates_args=())",
        "torch.library.custom_op(own(own('a')), mutates_args=())",
        "n = 'de'\nn += 'mo::a'\ntorch.library.custom_op(n, mutates_args=())",
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
        "class Layer(torch.nn.Module):\n  def __init__(self): super().__init__('demo::a', 'DEF')",
        "class Mine(torch.library.Library):\n  def __init__(self): super().__init__(own('').split('::')[0], 'DEF')\n\
         \x20 def define(self, schema): return super().define(schema)",
        "torch._ops.ops.aten.relu(1)",
        "from torch._ops import OpOverload\nisinstance(x, OpOverload)",
        "library = torch.library.Library('aten', 'IMPL')\nlibrary.impl('aten::relu', f, 'CPU')",
        "library = torch.library.Library(own('').split('::')[0], 'FRAGMENT')\n\
         library.define('f(str a=\"x::y\") -> ()')\nlibrary.impl('f', f, 'CPU')\nlibrary.impl(own('f'), f, 'CPU')",
        "class Registry:\n  def define(self, name): ...\nRegistry().define('other::f')",
        "torch.library.custom_op(own('a').lower(), mutates_args=())",
        "n = own('a')\nn += '_backward'\ntorch.library.custom_op(n, mutates_args=())",
        "torch.library.Library(own('a').split('::', 1)[0], 'FRAGMENT')",
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
        ("torch.library.custom_op(own('a').replace('_', 'x'), mutates_args=())", Note, "python/unjudged"),
        ("torch.library.custom_op(own('a')[3:], mutates_args=())", Note, "python/unjudged"),
        ("torch.library.custom_op(unknown(own('a')), mutates_args=())", Note, "python/unjudged"),
        ("torch.library.custom_op(f\"{own('a'):.3}\", mutates_args=())", Note, "python/unjudged"),
        ("torch.library.Library(own('a'), 'DEF')", Note, "python/unjudged"),
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
fn the_builds_that_a_generated_module_names_are_those_it_runs_with() {
    let named = |text: &str| {
        let is_id = |word: &str| word.starts_with("_demo_");
        generated(parse("_ops.py", text), "demo", &is_id).builds.into_iter().collect::<Vec<_>>()
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

/// The files of the package `demo` that surely register without its namespace.
fn wrong(files: &[(&str, &str)]) -> Vec<String> {
    let is_meant = |finding: &Finding| {
        (finding.severity, finding.code.id) == (Severity::Error, "python/unprefixed-operator")
    };
    let errors = judged(files).into_iter().filter(is_meant);
    errors.filter_map(|finding| finding.subject.file).collect()
}

#[test]
fn a_registering_function_is_followed_from_file_to_file() {
    const FALLBACK: &str = "import torch\ntry:\n  reg = torch.library.register_fake\n\
                            except AttributeError:\n  reg = torch.library.impl_abstract\n";
    const MINE: &str = "import torch\nclass Mine(torch.library.Library): ...\n";
    let one = |helper: &str, user: &str| wrong(&[("sub/helper.py", helper), ("sub/user.py", user)]);
    for (helper, user) in [
        ("import torch\nreg = torch.library.define", "from .helper import reg\nreg(NAME, '() -> ()')"),
        ("import torch\nreg = torch.library.define", "from .helper import reg as r\nr(NAME, '() -> ()')"),
        ("import torch\nreg = torch.library.define", "from . import helper\nhelper.reg(NAME, '() -> ()')"),
        ("import torch\nreg = torch.library.define", "from .helper import *\nreg(NAME, '() -> ()')"),
        ("import torch\nreg = torch.library.define", "import demo.sub.helper as h\nh.reg(NAME, '() -> ()')"),
        ("import torch\nlib = torch.library", "from .helper import lib\nlib.define(NAME, '() -> ()')"),
        ("import torch\nlib = torch.library", "from . import helper\nhelper.lib.define(NAME, '() -> ()')"),
        ("import torch\nco = torch.library.custom_op", "from .helper import co\n@co(NAME)\ndef f(x): ..."),
        (
            "import torch\nL = torch.library.Library",
            "from .helper import L\nL(NAME.split('::')[0], 'FRAGMENT')",
        ),
        (FALLBACK, "from .helper import reg\n@reg(NAME)\ndef f(x): ..."),
        (MINE, "from .helper import Mine\nMine(NAME.split('::')[0], 'DEF')"),
        (
            MINE,
            "from . import helper\nclass L(helper.Mine):\n  def __init__(self):\n    super().__init__(NAME.split('::')[0], 'DEF')",
        ),
        ("import torch\nclass K:\n  op = torch.library.custom_op\n", "from .helper import K\nK.op(NAME)"),
        (
            "try:\n  from elsewhere import reg\nexcept ImportError:\n  import torch\n  reg = torch.library.define",
            "from .helper import reg\nreg(NAME, '() -> ()')",
        ),
    ] {
        assert_eq!(one(helper, &format!("NAME = 'demo::f'\n{user}\n")), ["sub/user.py"], "{helper}\n{user}");
        let own = format!(
            "from .._ops import add_op_namespace_prefix\nNAME = add_op_namespace_prefix('f')\n{user}\n"
        );
        assert_eq!(one(helper, &own), [""; 0], "{helper}\n{user}");
    }
    // From the top of a package, and through a third file.
    for files in [
        [
            ("helper.py", "import torch\nr = torch.library.define\n"),
            ("a/b.py", "from .. import helper\nreg = helper.r\n"),
        ],
        [
            ("helper.py", "from torch.library import *\n"),
            ("a/b.py", "from ..helper import define as d\nreg = d\n"),
        ],
        [
            ("helper.py", "import torch\nr = torch.library\n"),
            ("a/b.py", "from ..helper import *\nreg = r.define\n"),
        ],
    ] {
        let user = ("user.py", "from .a.b import reg\nreg('demo::f', '() -> ()')\n");
        assert_eq!(wrong(&[files[0], files[1], user]), ["user.py"], "{files:?}");
    }
    let other =
        "class Registry:\n  def define(self, *of): ...\nlib = Registry()\ndef reg(*of): ...\nalias = reg\n";
    let user = "from .helper import alias, lib\nlib.define('demo::f')\nalias('demo::f')\n";
    assert_eq!(judged(&[("helper.py", other), ("user.py", user)]), []);
}

#[test]
fn what_registers_in_the_generated_module_is_judged_like_any_other() {
    const TEXT: &str = "import torch\nfrom . import _demo_cpu_x\nops = torch.ops._demo_cpu_x\n\
                        def add_op_namespace_prefix(op_name): return f'_demo_cpu_x::{op_name}'\n";
    let user = "import torch\nfrom ._ops import add_op_namespace_prefix as own, ops\n\
                ops.f(1)\ntorch.library.register_fake(own('f'))\ntorch.library.register_fake(ops.f)\n";
    for (more, expected) in [
        ("", &[][..]),
        ("torch.library.custom_op(add_op_namespace_prefix('f'), mutates_args=())\n", &[]),
        ("torch.library.define('foo::bar', '() -> ()')\n", &["_ops.py"]),
        ("torch.library.Library('demo', 'FRAGMENT')\n", &["_ops.py"]),
        ("reg = torch.library.define\nreg('foo::bar', '() -> ()')\n", &["_ops.py"]),
    ] {
        let generated = format!("{TEXT}{more}");
        let files = [("_demo_cpu_x.py", ""), ("_ops.py", generated.as_str()), ("user.py", user)];
        assert_eq!(wrong(&files), expected, "{more}");
    }
    let hidden = format!("{TEXT}reg = torch.library.define\n");
    let user = "from ._ops import reg\nreg('demo::f', '() -> ()')\n";
    assert_eq!(wrong(&[("_demo_cpu_x.py", ""), ("_ops.py", &hidden), ("user.py", user)]), ["user.py"]);
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
