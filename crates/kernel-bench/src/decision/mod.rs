//! From measurements to verdicts, look by look.

mod settings;
mod verdict;

pub use settings::Settings;
pub use verdict::{Effect, Outcome, SuiteVerdict, Verdict};
