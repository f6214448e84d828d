//! What a build needs besides the project: compilers, libraries and headers, found or made.

pub mod sysroot;
