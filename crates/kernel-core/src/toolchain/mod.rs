//! What a build needs besides the project: compilers, libraries and headers, found or made.

pub mod compiler;
pub mod cuda;
mod cuda_clang;
mod dependency;
mod error;
pub mod fingerprint;
mod framework;
pub mod lock;
pub mod parts;
mod rocm;
pub mod store;
pub mod sysroot;
mod toolkit;
