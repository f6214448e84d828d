//! The forms of a result: each is made from the document alone, says the same, and stays itself whatever a name contains.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::cast_precision_loss, reason = "counts of blocks are small")]
#![allow(dead_code, reason = "the simulated machines have more than these tests use")]

mod browser;
mod forms;
#[path = "../simulation/machine.rs"]
mod machine;
mod page;
mod sample;
