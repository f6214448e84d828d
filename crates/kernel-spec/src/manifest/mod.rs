//! `build.toml`: what an author says about a kernel.

mod binding;
mod component;
mod consistency;
mod edition;
mod general;
pub(crate) mod keys;
mod lists;
mod migrate;
mod outline;
mod parse;
pub(crate) mod reader;
pub mod repository_id;
pub(crate) mod schema;
mod statements;
pub(crate) mod syntax;
pub mod types;

pub use migrate::{Migration, migrate};
pub use parse::{Parsed, parse, parse_as};
pub use repository_id::is_valid as is_repository_id;
pub use schema::schema;
pub use types::*;
