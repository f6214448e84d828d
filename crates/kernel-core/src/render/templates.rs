//! The templates of a build, embedded in the program, and how values get into them: each through the filter of its
//! syntax.

use kernel_spec::Framework;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value};

use super::escape::{c_string, nix_string, python_string, toml_string};

static REGISTRATION: &str = include_str!("../../../../templates/build/framework/torch/registration.h");
static IDENTITY: &str = include_str!("../../../../templates/build/identity.c.j2");
static HIPIFY: &str = include_str!("../../../../templates/build/backend/rocm/hipify.py");
static METALLIB: &str = include_str!("../../../../templates/build/backend/metal/metallib.c.j2");
static EMBEDDED_METALLIB: &str =
    include_str!("../../../../templates/build/backend/metal/embedded_metallib.h");
static TORCH_EXPORTS: &str = include_str!("../../../../templates/build/framework/torch/exports.map");
static TVM_FFI_EXPORTS: &str = include_str!("../../../../templates/build/framework/tvm-ffi/exports.map");
static TORCH_OPS: &str = include_str!("../../../../templates/build/framework/torch/_ops.py.j2");
static NOARCH_OPS: &str = include_str!("../../../../templates/build/framework/torch-noarch/_ops.py.j2");
static TVM_FFI_OPS: &str = include_str!("../../../../templates/build/framework/tvm-ffi/_ops.py.j2");

/// The header that kernels bound to torch register their operators with.
pub fn registration() -> &'static str {
    REGISTRATION
}

/// The program that runs torch's hipify.
pub fn hipify() -> &'static str {
    HIPIFY
}

/// The version script: which symbols a library shows.
pub fn exports(framework: Framework, is_darwin: bool) -> &'static str {
    match (framework, is_darwin) {
        (Framework::TvmFfi, false) => TVM_FFI_EXPORTS,
        (Framework::TvmFfi, true) => "___tvm_ffi_*\n",
        (Framework::Torch | Framework::TorchNoarch, false) => TORCH_EXPORTS,
        (Framework::Torch | Framework::TorchNoarch, true) => "_PyInit_*\n",
    }
}

/// The unit that takes in a library of shaders, whose path is relative to where commands run.
pub fn metallib(path: &str) -> String {
    render(METALLIB, minijinja::context! { path => path })
}

/// The header by which sources find it.
pub fn embedded_metallib() -> &'static str {
    EMBEDDED_METALLIB
}

/// The identity unit.
pub fn identity(id: &str, is_python_module: bool) -> String {
    let context = minijinja::context! { id => id, python_module => is_python_module };
    render(IDENTITY, context)
}

/// `_ops.py` of a compiled variant.
pub fn ops(framework: Framework, id: &str) -> String {
    let template = if framework == Framework::TvmFfi { TVM_FFI_OPS } else { TORCH_OPS };
    render(template, minijinja::context! { id => id })
}

/// `_ops.py` of a variant of Python alone; the commit is in it because there is no library to hold it.
pub fn noarch_ops(id: &str, commit: Option<&str>, dirty: Option<bool>) -> String {
    render(NOARCH_OPS, minijinja::context! { id => id, commit => commit, dirty => dirty })
}

fn render(template: &str, context: Value) -> String {
    environment()
        .render_str(template, context)
        .expect("an embedded template renders with the values of its function")
}

/// How all templates of the program are read: an unknown variable is an error, a tag on a line of its own leaves no
/// trace, and there is a filter for each syntax that values are written in.
pub(crate) fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    let syntax =
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the usual syntax with other blanks"));
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.add_filter("c_string", |text: String| c_string(&text));
    environment.add_filter("python", python);
    environment.add_filter("toml", |text: String| toml_string(&text));
    environment.add_filter("nix", |text: String| nix_string(&text));
    environment
}

/// A value as a literal of Python.
fn python(value: Value) -> String {
    match value.as_str() {
        Some(text) => python_string(text),
        None if value.is_none() || value.is_undefined() => "None".to_owned(),
        None if value.is_true() => "True".to_owned(),
        None => "False".to_owned(),
    }
}
