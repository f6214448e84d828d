//! `build.toml`: what an author says about a kernel.

pub mod types;

pub use types::*;
