//! What the parent and its children say to each other: one JSON object a line over a private channel. Every question
//! has a number and a nonce, and is answered by exactly one line with both; anything else on the channel is a violation,
//! because it was not written by the runner.

mod case;
mod question;
mod random;
mod sequence;

pub use case::{Case, Values};
pub use question::*;
pub use random::Random;
pub use sequence::{Asked, Refusal, RefusalKind, Sequence, Violation};

/// The runner that children execute, as files below a directory of any name.
pub static RUNNER: &[(&str, &str)] = &[
    ("__init__.py", include_str!("../../python/kernel_builder_bench/__init__.py")),
    ("__main__.py", include_str!("../../python/kernel_builder_bench/__main__.py")),
    ("channel.py", include_str!("../../python/kernel_builder_bench/channel.py")),
    ("clock.py", include_str!("../../python/kernel_builder_bench/clock.py")),
    ("confine.py", include_str!("../../python/kernel_builder_bench/confine.py")),
    ("declared.py", include_str!("../../python/kernel_builder_bench/declared.py")),
    ("failure.py", include_str!("../../python/kernel_builder_bench/failure.py")),
    ("layouts.py", include_str!("../../python/kernel_builder_bench/layouts.py")),
    ("loading.py", include_str!("../../python/kernel_builder_bench/loading.py")),
    ("observe.py", include_str!("../../python/kernel_builder_bench/observe.py")),
    ("pristine.py", include_str!("../../python/kernel_builder_bench/pristine.py")),
    ("roof.py", include_str!("../../python/kernel_builder_bench/roof.py")),
    ("scripts.py", include_str!("../../python/kernel_builder_bench/scripts.py")),
    ("session.py", include_str!("../../python/kernel_builder_bench/session.py")),
    ("tensors.py", include_str!("../../python/kernel_builder_bench/tensors.py")),
    ("values.py", include_str!("../../python/kernel_builder_bench/values.py")),
];

/// The name of the runner's package.
pub const RUNNER_PACKAGE: &str = "kernel_builder_bench";
