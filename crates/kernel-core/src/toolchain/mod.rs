//! What a build needs besides the project: compilers, libraries and headers, found or made.

pub mod compiler;
pub mod cuda;
pub mod fingerprint;
pub mod parts;
pub mod sysroot;
