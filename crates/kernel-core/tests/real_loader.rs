//! Libraries with one field changed each, given to this machine's own loader and to the judge: what the loader refuses, or what
//! ends the process, is no good library, and what loads and works is one, but for what two tables explain.
#![allow(unreachable_pub, reason = "modules of one test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "a test starts compilers and programs itself")]
#![allow(clippy::print_stdout, reason = "the test shows what was compared")]

mod real_loader {
    pub mod explained;
    pub mod fields;
    pub mod fixture;
    pub mod loader;
    pub mod mutants;
    pub mod verdicts;
}
