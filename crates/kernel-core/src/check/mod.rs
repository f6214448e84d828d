//! Checks of a project's files and of built variants, one file each. Every check returns findings; what they mean for the
//! run is decided by whoever asked.

pub mod built;
pub mod bytecode;
pub mod layout;
pub mod library;
mod listing;
pub mod manifest;
pub mod python_package;
pub mod sources;
pub mod tracked;
