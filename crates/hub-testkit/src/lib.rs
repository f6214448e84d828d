//! A Hub on this machine, for tests. A crate of its own because it is the opposite end of `kernel-hub` and shares no line
//! with it: what both agree on, they agree on through the protocol.

pub mod wire;
