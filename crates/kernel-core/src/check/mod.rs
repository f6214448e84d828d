//! Checks of a project's files and of built variants, one file each. Every check returns findings; what they mean for the
//! run is decided by whoever asked.

pub mod layout;
mod listing;
pub mod sources;
pub mod tracked;
