//! Everything of kernel-builder that speaks to the network. A crate of its own because it can be used alone, knows
//! nothing of kernels, and is the only one that may depend on an HTTP library: [`http`] is the one door for downloads and
//! for the Hub. It reads neither environment nor configuration; its caller hands both in.

pub mod http;
