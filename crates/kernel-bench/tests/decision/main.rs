//! Verdicts by example: what is decided beside speed, what runs are compared, and what noise is called.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::cast_precision_loss, reason = "counts of blocks are small")]
#![allow(clippy::print_stdout, reason = "rates are what the tests are read for")]
#![allow(dead_code, reason = "the simulated machines have more than these tests use")]

#[path = "../simulation/machine.rs"]
mod machine;
mod memory;
mod noise;
mod runs;
mod suite;
