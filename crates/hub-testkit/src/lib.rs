//! A Hub on this machine, and services that sign, for tests. A crate of its own because it is the opposite end of
//! `kernel-hub` and `kernel-trust` and shares no line with them: what both ends agree on, they agree on through the
//! protocol, and clients that nobody here wrote prove this end.

mod encrypted;
mod faults;
mod hub;
pub mod sigstore;
mod store;
pub mod wire;

pub use encrypted::Encrypted;
pub use faults::{Fault, Faults, Kind};
pub use hub::state::{Commit, Entry, Limits, Role};
pub use hub::{Hub, HubBuilder};
