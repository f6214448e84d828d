//! One call of a declared operation, as a child is told of it.

use std::collections::BTreeMap;

use kernel_spec::workloads::{CaseTensor, Layout, Sizes};
use serde::Serialize;
use serde_json::Value;

/// One call of a declared operation.
#[derive(Clone, Debug, Serialize)]
pub struct Case {
    /// The operation.
    pub operation: String,
    /// A size for each dimension.
    pub sizes: Sizes,
    /// The type of the tensors that declare none.
    pub dtype: String,
    /// Its tensors.
    pub tensors: Vec<CaseTensor>,
    /// Its scalars.
    pub arguments: BTreeMap<String, Value>,
    /// What its inputs are drawn from.
    pub values: Values,
    /// How its inputs lie in memory.
    pub layout: Layout,
    /// How its outputs lie in memory, where the call gets them.
    pub output_layout: Layout,
    /// An output and the input whose memory it is.
    pub alias: Option<(String, String)>,
    /// Whether the gradient is computed, in place of the outputs.
    pub gradient: bool,
    /// Whether there are guards around its tensors.
    pub guarded: bool,
    /// Whether memory that the call allocates holds NaN.
    pub poisoned_memory: bool,
    /// Whether the inputs come from a file, so that nothing has to be made.
    pub given: bool,
}

/// What inputs are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Values {
    /// The normal distribution.
    Normal,
    /// The same, a thousandth in size.
    Small,
    /// The same, a thousand times in size.
    Large,
    /// Of many sizes.
    Spread,
    /// Near the largest finite number.
    Largest,
    /// Below the smallest normal number.
    Denormal,
    /// With some NaN.
    Nan,
    /// With some infinities.
    Infinity,
    /// Nothing but zeros.
    Zeros,
    /// One number everywhere.
    Equal,
    /// From small to large.
    Sorted,
    /// One row again and again, as a stride of 0 makes it.
    Repeated,
}
