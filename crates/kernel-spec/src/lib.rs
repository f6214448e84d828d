//! The nouns of kernel-builder. A crate of its own because the JSON and TOML contract must be usable, and testable,
//! without any of the machinery that acts on it: parsing and pure functions only, no I/O, clock, environment or
//! randomness.

pub mod arch;
pub mod backend;
pub mod capability;
pub mod code;
pub mod dependency;
pub mod diagnostic;
pub mod error;
pub mod event;
pub mod exit;
pub mod finding;
pub mod framework;
mod git_url;
pub mod gpu;
pub mod identifier;
pub mod license;
pub mod manifest;
pub mod matrix;
pub mod metadata;
pub mod name;
pub mod panicked;
pub mod path;
pub mod plan;
pub mod report;
pub mod selection;
pub mod source;
pub mod suggest;
pub mod variant;
pub mod version;
pub mod workloads;

pub use backend::Backend;
pub use code::Code;
pub use event::{Event, Sink};
pub use exit::ExitClass;
pub use finding::{Finding, Severity};
pub use framework::Framework;
pub use matrix::Matrix;
pub use metadata::Metadata;
pub use name::KernelName;
pub use plan::Plan;
pub use source::{Located, SourceText, Span};
pub use variant::Variant;
pub use version::Version;
