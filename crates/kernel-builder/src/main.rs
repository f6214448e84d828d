//! The voice of kernel-builder: the only crate that prints, colours and exits.

fn main() {}
