//! A plan becomes files. Everything is rendered in memory first, so that a value that cannot be written stops the build
//! before anything is on disk.

pub mod escape;
pub mod fileset;
pub mod ninja;
pub mod templates;
pub mod variant;

pub use fileset::FileSet;
