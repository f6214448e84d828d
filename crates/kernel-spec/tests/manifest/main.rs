//! The manifest's parser as its users see it: texts in, findings and values out.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests find data through the environment and say what they skip"
)]

mod addresses;
mod collection;
mod faults;
mod migration;
mod mutation;
mod oracle;
mod property;
mod real;
mod states;
