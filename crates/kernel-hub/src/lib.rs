//! Everything of kernel-builder that speaks to the network. A crate of its own because it can be used alone, knows
//! nothing of kernels, and is the only one that may depend on an HTTP library: [`http`] is the one door, [`hub`] the
//! protocol of the Hub, [`job`] says who a CI job is, [`publish`] makes a branch hold what it should, exactly once. It reads neither environment nor
//! configuration; its caller hands both in.

pub mod confined;
pub mod http;
pub mod hub;
pub mod job;
pub mod publish;
