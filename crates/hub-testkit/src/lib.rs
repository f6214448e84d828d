//! A Hub on this machine, for tests. A crate of its own because it is the opposite end of `kernel-hub` and shares no line
//! with it: what both agree on, they agree on through the protocol, and clients that nobody here wrote prove this end.

mod faults;
mod hub;
mod store;
pub mod wire;

pub use faults::{Fault, Faults, Kind};
pub use hub::state::{Commit, Entry, Limits, Role};
pub use hub::{Hub, HubBuilder};
