//! From measurements to verdicts, look by look: `Sequence` is asked which process count to measure next, is shown what
//! was measured, and answers with verdicts and with whether to go on.

mod comparison;
mod evidence;
mod memory;
mod merge;
mod noise;
mod paired;
mod roofline;
mod sequence;
mod settings;
mod stability;
mod suite;
mod times;
mod verdict;

pub use comparison::{Change, Comparability, Comparison, Incomparable, compare};
pub use memory::{Memory, MemoryOutcome};
pub use merge::{Agreement, Conflict, MachineResult, Merged, MergedMachine, MergedWorkload, merge};
pub use noise::{Cause, CauseKind, Noise};
pub use paired::Paired;
pub use roofline::{Bound, Ceilings, Roof, Roofline};
pub use sequence::{Look, Next, Sequence, Stop};
pub use settings::{Settings, SettingsError};
pub use stability::{Instability, InstabilityKind};
pub use suite::{NonRegression, Suite, SuiteVerdict};
pub use times::{Summary, Times};
pub use verdict::{Detectable, Effect, Outcome, Verdict};
