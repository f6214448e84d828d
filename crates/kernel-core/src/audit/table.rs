//! Which names are worth a look, as data.

use kernel_spec::{Code, code};

/// What a name stands for.
#[derive(Debug)]
pub(super) struct Row {
    /// Names; one that ends with `*` stands for all that begin so.
    names: &'static [&'static str],
    pub(super) code: &'static Code,
    /// Completes "uses `x`:".
    pub(super) meaning: &'static str,
}

macro_rules! row {
    ($code:expr, $meaning:literal, $($name:literal)*) => {
        Row { names: &[$($name),*], code: $code, meaning: $meaning }
    };
}

/// Functions that a library may import.
#[rustfmt::skip]
static SYMBOLS: &[Row] = &[
    row!(&code::audit::LOADS, "it can load other libraries", "dlopen" "dlmopen" "LoadLibrary*"),
    row!(&code::audit::LOADS, "it can make memory executable", "mprotect" "pkey_mprotect" "VirtualProtect*" "pthread_jit_write_protect_np"),
    row!(&code::audit::RUNS, "it can run other programs", "system" "popen" "exec*" "fexecve" "posix_spawn*" "fork" "vfork" "clone" "CreateProcess*"),
    row!(&code::audit::NETWORK, "it can use the network", "socket" "connect" "bind" "listen" "accept" "accept4" "getaddrinfo" "gethostbyname*" "sendto" "recvfrom" "WSAStartup"),
    row!(&code::audit::JIT, "it compiles code when it runs", "nvrtc*" "nvJitLink*" "hiprtc*" "cuLinkCreate*" "cuModuleLoadData*" "hipModuleLoadData*" "LLVM*"),
];

/// Libraries that a library may need.
#[rustfmt::skip]
static NEEDED: &[Row] = &[
    row!(&code::audit::NETWORK, "a library of the network", "libcurl*" "libssl*" "libnghttp2*" "libibverbs*"),
    row!(&code::audit::JIT, "it compiles code when it runs", "libnvrtc*" "libnvJitLink*" "libhiprtc*" "libLLVM*" "libtcc*"),
    row!(&code::audit::RUNS, "an interpreter of Python of its own", "libpython*"),
];

/// What Python may name.
#[rustfmt::skip]
static PYTHON: &[Row] = &[
    row!(&code::audit::RUNS, "it runs text as code", "exec" "eval" "compile" "builtins" "__builtins__" "code" "codeop" "runpy" "breakpoint" "timeit.timeit" "timeit.repeat" "timeit.Timer" "timeit.main" "typing.ForwardRef" "typing._eval_type" "logging.config" "cProfile" "profile.*" "pdb" "bdb" "doctest" "trace.Trace" "typing.get_type_hints" "_xxsubinterpreters" "_interpreters" "concurrent.interpreters"),
    row!(&code::audit::RUNS, "it makes code that no file holds", "types.FunctionType" "types.LambdaType" "types.CodeType" "__code__"),
    row!(&code::audit::RUNS, "by it code reaches what it does not name", "__globals__" "__subclasses__" "__getattribute__" "operator.attrgetter" "operator.methodcaller" "inspect.getattr_static" "gc.get_objects" "gc.get_referrers" "sys._getframe"),
    row!(&code::audit::RUNS, "it changes what an import finds", "sys.meta_path" "sys.path" "sys.path_hooks" "sys.path_importer_cache" "site.addsitedir" "__path__"),
    row!(&code::audit::RUNS, "it imports by a name that is made while it runs", "__import__" "importlib.import_module" "importlib.util.spec_from_file_location" "importlib.machinery" "importlib._bootstrap*" "_frozen_importlib*" "imp" "pkgutil" "zipimport"),
    row!(&code::audit::RUNS, "what it reads may run as code", "pickle" "cPickle" "marshal" "shelve" "dill" "cloudpickle" "joblib" "torch.load" "torch.hub" "torch.package" "torch.serialization" "numpy.load" "_pickle" "jsonpickle" "pandas.read_pickle" "yaml.load" "yaml.load_all" "yaml.full_load" "yaml.full_load_all" "yaml.unsafe_load" "yaml.unsafe_load_all" "yaml.Loader" "yaml.FullLoader" "yaml.UnsafeLoader"),
    row!(&code::audit::RUNS, "it can run other programs", "subprocess" "os.system" "os.popen" "os.exec*" "os.spawn*" "os.posix_spawn*" "os.fork*" "pty" "posix.*" "nt.*" "_posixsubprocess" "_winapi" "webbrowser" "multiprocessing" "_multiprocessing" "torch.multiprocessing" "torch.distributed.launcher" "torch.distributed.elastic" "asyncio.create_subprocess*" "concurrent.futures.ProcessPoolExecutor" "tkinter" "_tkinter"),
    row!(&code::audit::LOADS, "it loads libraries, or calls them past all checks", "ctypes" "cffi" "_ctypes" "torch.ops.load_library" "torch.classes.load_library" "tvm_ffi.load_module" "tvm_ffi.core" "numpy.ctypeslib" "sqlite3" "_sqlite3"),
    row!(&code::audit::NETWORK, "it can use the network", "socket" "_socket" "socketserver" "ssl" "_ssl" "torch.distributed.rpc" "http" "urllib" "urllib3" "requests" "httpx" "aiohttp" "ftplib" "smtplib" "telnetlib" "xmlrpc" "websockets" "paramiko" "huggingface_hub" "kernels" "asyncio.open_connection"),
    row!(&code::audit::JIT, "it compiles code when it runs", "triton" "torch.compile" "torch.jit" "torch._dynamo" "torch._inductor" "torch.utils.cpp_extension" "torch.cuda._compile_kernel" "torch.mps.compile_shader" "numba" "cupy" "pycuda" "tilelang" "tvm" "tvm_ffi.cpp" "cutlass" "helion" "nki" "jax.jit" "jax.experimental.pallas" "taichi" "warp" "mlx" "tinygrad"),
];

/// Modules that are the same wherever they are reached: what a module imports is an attribute of it, such as `shutil.os`.
#[rustfmt::skip]
static MODULES: &[&str] = &[
    "builtins", "ctypes", "gc", "importlib", "inspect", "marshal", "multiprocessing", "operator", "os", "pickle", "pkgutil", "posix",
    "pty", "runpy", "socket", "subprocess", "sys",
];

/// A path from the last module in it on: `os.system` of `shutil.os.system` or `tempfile._os.system`.
fn from_module(path: &str) -> &str {
    let inner = path.rmatch_indices('.').filter_map(|(dot, _)| path.get(dot + 1..));
    let is_module = |rest: &&str| rest.split('.').next().is_some_and(|name| MODULES.contains(&name));
    inner.map(|rest| rest.trim_start_matches('_')).find(is_module).unwrap_or(path)
}

fn find(table: &'static [Row], is_it: impl Fn(&str) -> bool) -> Option<&'static Row> {
    table.iter().find(|row| row.names.iter().any(|name| is_it(name)))
}

fn fits(written: &str, name: &str) -> bool {
    written.strip_suffix('*').map_or(written == name, |start| name.starts_with(start))
}

/// The row of a function that a library imports.
pub(super) fn symbol(name: &str) -> Option<&'static Row> {
    find(SYMBOLS, |written| fits(written, name))
}

/// The row of a library that is needed.
pub(super) fn needed(library: &str) -> Option<&'static Row> {
    let name = library.rsplit('/').next().unwrap_or(library);
    find(NEEDED, |written| fits(written, name))
}

/// The row of a path in Python, or of what it is a part of; of a path that ends with `*`, which stands for any name of a
/// module, also of what is in that.
pub(super) fn python(path: &str) -> Option<&'static Row> {
    row_of(from_module(path)).or_else(|| row_of(path))
}

fn row_of(path: &str) -> Option<&'static Row> {
    let module = path.strip_suffix('*').filter(|module| module.ends_with('.'));
    find(PYTHON, |written| {
        fits(written, path)
            || path.strip_prefix(written).is_some_and(|rest| rest.starts_with('.'))
            || module.is_some_and(|module| written.starts_with(module))
            // What everything has that is of its kind.
            || (written.starts_with("__") && path.split('.').any(|part| part == written))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_with_what_is_below_them() {
        for name in
            ["subprocess", "subprocess.run", "os.execvp", "torch.load", "exec", "triton.language.load"]
        {
            assert!(python(name).is_some(), "{name}");
        }
        for name in
            ["os.path.join", "torch.loads", "torch.ops.demo.relu", "re.compile", "model.eval", "codec"]
        {
            assert!(python(name).is_none(), "{name}");
        }
        assert!(symbol("execve").is_some() && symbol("dlopen").is_some() && symbol("memcpy").is_none());
        assert!(needed("libcurl.so.4").is_some() && needed("libc.so.6").is_none());
    }
}
