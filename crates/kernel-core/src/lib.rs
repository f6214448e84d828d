//! The verbs of kernel-builder. A crate of its own so that nothing in it can print, colour or exit: it takes a
//! [`Context`], sends events to a sink and returns a report or a typed error.

pub mod arriving;
pub mod artifacts;
pub mod atomic;
pub mod audit;
pub mod bench;
pub mod card;
pub mod check;
pub mod compare;
pub mod context;
pub mod digest;
pub mod engine;
pub mod error;
pub mod failure;
pub mod forms;
pub mod gates;
pub mod host;
pub mod inputs;
pub mod matrix;
pub mod meter;
pub mod network;
pub mod plan;
pub mod process;
pub mod project;
pub mod provenance;
pub mod published;
pub mod python_source;
pub mod reading;
mod real_paths;
mod records;
pub mod regular;
pub mod render;
pub mod scaffold;
pub mod seal;
pub mod stamp;
pub mod suite;
pub mod toolchain;
pub mod tree;
pub mod trust;
pub mod upload;
pub mod verbs;
pub mod workspace_lock;

pub use context::Context;
pub use error::{Error, Result};
pub use project::Project;
