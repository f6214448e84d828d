//! `benchmarks/workloads.toml`: the functions of a kernel as *operations*, each with what it computes, for which shapes
//! and types. `test` holds them against their references, `bench` measures their workloads.

mod call;
mod case;
mod dims;
mod keys;
mod operation;
mod parse;
mod schema;
mod size;
mod tensor;
mod types;

pub use case::{CaseTensor, Sizes};
pub use parse::{Parsed, parse};
pub use schema::schema;
pub use size::Size;
pub use types::*;

/// Where a project declares its operations.
pub const FILE: &str = "benchmarks/workloads.toml";
