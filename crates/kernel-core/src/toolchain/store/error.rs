//! Why a part is not in the store, and does not get there.

use camino::Utf8PathBuf;
use kernel_hub::http::HttpError;
use miette::Diagnostic;
use thiserror::Error;

use super::part::Part;
use super::wheel::WheelError;

/// Why a part is not there.
#[derive(Debug, Error, Diagnostic)]
pub enum StoreError {
    /// The network is forbidden.
    #[error("`{part}` is not in the store, and `--offline` forbids to fetch it")]
    #[diagnostic(
        code("toolchain/offline"),
        help("run `kernel-builder toolchain fetch {part}` once with the network")
    )]
    Offline {
        /// The part.
        part: String,
    },
    /// There is no uv.
    #[error("uv, which finds the wheels of `{part}`, is neither in `PATH` nor beside `{interpreter}`")]
    #[diagnostic(code("toolchain/resolver"), help("install it: `pip install uv`"))]
    NoResolver {
        /// The part.
        part: String,
        /// The chosen Python.
        interpreter: Utf8PathBuf,
    },
    /// The index has not got it.
    #[error("the wheels of `{part}` were not found")]
    #[diagnostic(
        code("toolchain/resolver"),
        help(
            "look at the reason; indexes and proxies are configured as for uv (`UV_DEFAULT_INDEX`, `uv.toml`)"
        )
    )]
    Unresolved {
        /// The part.
        part: String,
        /// What uv says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// It did not arrive.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Http(#[from] HttpError),
    /// What arrived is not what its maker lists.
    #[error("`{file}` cannot be unpacked")]
    #[diagnostic(
        code("toolchain/wheel"),
        help("fetch it again; if it stays so, the index or something on the way serves a damaged file")
    )]
    Wheel {
        /// The wheel.
        file: String,
        /// What is wrong.
        #[source]
        source: WheelError,
    },
    /// What can be had is not what is locked.
    #[error("`{part}` cannot be had as it is locked: {reason}")]
    #[diagnostic(
        code("toolchain/unlocked"),
        help("find out why the file changed before `kernel-builder toolchain lock` writes down the new one")
    )]
    Unlocked {
        /// The part.
        part: String,
        /// What differs.
        reason: String,
    },
    /// The store holds something else than it did.
    #[error("`{part}` in the store is not what was fetched")]
    #[diagnostic(
        code("toolchain/changed"),
        help("remove it with `kernel-builder toolchain gc`; a build fetches it again")
    )]
    Changed {
        /// The part.
        part: String,
    },
    /// The store cannot be read or written.
    #[error("the store `{directory}` cannot be used")]
    #[diagnostic(
        code("environment/file"),
        help("make room or rights there, or name another place in `KERNEL_BUILDER_CACHE_DIR`")
    )]
    File {
        /// Where.
        directory: Utf8PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// The user asked for the end.
    #[error("interrupted")]
    #[diagnostic(code("internal/interrupted"), help("run the same command again; what has arrived is kept"))]
    Interrupted,
}

impl StoreError {
    pub(super) fn unresolved(part: &Part, reason: String) -> Self {
        Self::Unresolved { part: part.to_string(), source: reason.into() }
    }
}
