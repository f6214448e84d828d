//! Checks of a project's files, one file each. Every check returns findings; what they mean for the run is decided by
//! whoever asked.

mod listing;
pub mod sources;
pub mod tracked;
