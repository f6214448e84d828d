//! Holds the declared operations of a kernel against their references: an oracle child that never sees the kernel makes
//! inputs and references, a candidate child runs the built variant on them, and this process judges every output by its
//! bytes. Each gate is passed, failed, or not executed with a reason.

mod breadth;
mod declared;
mod judging;
mod plan;
pub(crate) mod rules;
mod run;
mod shapes;
mod special;
mod trial;

pub(crate) use declared::declared_at;
pub use declared::{Declared, declared};
pub(crate) use plan::ordinary;
pub use run::{Options, examine};
