//! Why there is no toolchain for a variant on this machine.

use camino::Utf8PathBuf;
use kernel_spec::{Code, Finding, code};
use miette::Diagnostic;
use thiserror::Error;

use super::compiler::CompilerError;
use super::cuda::CudaError;
use super::lock::LockError;
use super::rocm::RocmError;
use super::store::StoreError;
use super::sysroot::SysrootError;

/// Why there is no toolchain for a variant.
#[derive(Debug, Error, Diagnostic)]
pub enum ToolchainError {
    /// The compiler.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Compiler(#[from] CompilerError),
    /// The engine's compiler.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Engine(#[from] crate::engine::EngineError),
    /// The stubs.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Sysroot(#[from] SysrootError),
    /// The framework is not there.
    #[error("`{interpreter}` has no {framework}, whose headers `{variant}` needs")]
    #[diagnostic(
        code("environment/framework-part"),
        help(
            "install uv (`pip install uv`), with which a build fetches headers by itself; or install {framework} in that environment, or choose another with `--python`"
        )
    )]
    NoFramework {
        /// The chosen interpreter.
        interpreter: Utf8PathBuf,
        /// `torch 2.15`, `tvm-ffi 0.1`.
        framework: String,
        /// The variant.
        variant: String,
        /// Why it was not fetched.
        #[source]
        store: Option<Box<StoreError>>,
    },
    /// The framework is another one.
    #[error("`{interpreter}` has {installed}, `{variant}` needs {wanted}")]
    #[diagnostic(
        code("environment/framework-part"),
        help(
            "let the build fetch the headers, for which it needs uv (`pip install uv`) and the network; or choose an environment that has {wanted} with `--python`"
        )
    )]
    OtherFramework {
        /// The chosen interpreter.
        interpreter: Utf8PathBuf,
        /// What it has.
        installed: String,
        /// What the variant needs.
        wanted: String,
        /// The variant.
        variant: String,
        /// Why it was not fetched.
        #[source]
        store: Option<Box<StoreError>>,
    },
    /// Python cannot be compiled against.
    #[error("`{directory}` has no `Python.h`")]
    #[diagnostic(
        code("environment/framework-part"),
        help(
            "install Python's development files (`apt install python3-dev`), or choose another interpreter with `--python`"
        )
    )]
    NoPythonHeaders {
        /// Where the interpreter says they are.
        directory: Utf8PathBuf,
    },
    /// A build dependency is not there.
    #[error("there are no headers of `{token}`, which `{variant}` needs: {seen}")]
    #[diagnostic(
        code("environment/dependency"),
        help("name a source tree of that version in `CUTLASS_SRC_DIR`")
    )]
    NoDependency {
        /// As the manifest has it.
        token: String,
        /// The variant.
        variant: String,
        /// What was looked at instead.
        seen: String,
        /// Why it was not fetched.
        #[source]
        store: Option<Box<StoreError>>,
    },
    /// Nothing translates CUDA to HIP.
    #[error(
        "`{interpreter}` has no torch with hipify, which translates the sources of CUDA that `{variant}` has"
    )]
    #[diagnostic(
        code("environment/hipify"),
        help("install torch in that environment, for any backend, or choose another with `--python`")
    )]
    NoHipify {
        /// The chosen interpreter.
        interpreter: Utf8PathBuf,
        /// The variant.
        variant: String,
    },
    /// ROCm.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Rocm(#[from] RocmError),
    /// No compiler of that backend.
    #[error("the local engine has no {what} for `{variant}`")]
    #[diagnostic(
        code("environment/backend-toolchain"),
        help(
            "build it on a machine or with an engine that has one; `variants` lists what this machine can build"
        )
    )]
    NoBackend {
        /// What is missing.
        what: String,
        /// The variant.
        variant: String,
    },
    /// CUDA.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Cuda(#[from] CudaError),
    /// The project's lock.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Lock(#[from] LockError),
    /// A fetched part.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Store(#[from] StoreError),
    /// A file of the toolchain could not be read.
    #[error("a part of the toolchain cannot be read")]
    #[diagnostic(code("environment/file"), help("look at the path and the system's reason above"))]
    File(#[from] std::io::Error),
}

impl ToolchainError {
    /// What keeps a planned variant from being built here.
    pub fn as_note(&self) -> Finding {
        let id = self.code().map(|code| code.to_string()).unwrap_or_default();
        let code = Code::find(&id).unwrap_or(&code::environment::BACKEND_TOOLCHAIN);
        let note = Finding::note(code, "this machine cannot build it").cause(self.to_string());
        match self.help() {
            Some(help) => note.help(help.to_string()),
            None => note,
        }
    }
}
