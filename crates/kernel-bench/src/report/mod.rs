//! The result of a run and the forms it is given to people and programs in. The document holds everything, samples
//! included; every other form is made from it alone, so that a saved run can be shown again.

mod bottleneck;
mod document;
mod html;
mod junit;
mod markdown;
mod panel;
mod plot;
mod records;
mod words;

pub use bottleneck::{Bottleneck, BottleneckKind};
pub use document::{
    Adoption, AlphaSpent, BaselineDescription, Check, CheckOutcome, Correctness, Document, FileDigest,
    Implementation, Machine, RunDescription, SCHEMA, Subject, WorkloadResult,
};
pub use html::{ReportError, forest_svg, html};
pub use junit::junit;
pub use markdown::{MARKER, markdown};
pub use plot::Theme;
pub use records::{Record, records};
