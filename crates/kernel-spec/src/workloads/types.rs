//! What a valid file says.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::Size;

/// The operations of a kernel, in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Workloads {
    /// At least one.
    pub operations: Vec<Operation>,
}

/// One function of the kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Operation {
    /// Its name in the file.
    pub name: String,
    /// How it is called.
    pub call: Call,
    /// What it computes: it gets what is read, and the arguments, by name, and returns what is written.
    pub reference: Function,
    /// What makes its inputs: called with `rng`, `dims`, `dtype` and `device`; without it they are drawn by their roles.
    pub inputs: Option<Function>,
    /// Types of the tensors that declare none of their own.
    pub dtypes: Vec<String>,
    /// Its dimensions by name.
    #[serde(skip)]
    pub dims: BTreeMap<String, Dimension>,
    /// Its tensors, in the order of the file.
    #[serde(skip)]
    pub tensors: Vec<Tensor>,
    /// Scalars by name; `Value::Null` is none of them.
    pub arguments: BTreeMap<String, Value>,
    /// What it does with values that are no ordinary numbers.
    #[serde(skip)]
    pub special_values: SpecialValues,
    /// Whether the same inputs give the same bytes.
    #[serde(skip)]
    pub deterministic: bool,
    /// The argument that seeds it, where its outputs are drawn by chance.
    pub stochastic: Option<String>,
    /// How many terms the longest sum in it has; 1 where nothing is summed.
    #[serde(skip)]
    pub terms: Option<Size>,
    /// How far its outputs may be off, by type.
    #[serde(skip)]
    pub tolerance: BTreeMap<String, Tolerance>,
    /// Layouts of inputs that it refuses with an exception.
    #[serde(skip)]
    pub unsupported_layouts: Vec<Layout>,
    /// Pairs of an output and an input that may be one tensor.
    #[serde(skip)]
    pub aliasing: Vec<(String, String)>,
    /// Inputs whose gradient it computes.
    pub grad: Vec<String>,
    /// What is measured, and tested first.
    #[serde(skip)]
    pub workloads: Vec<Workload>,
}

/// A call: the function below the package, and the names of tensors and arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    /// Names from the package to the function.
    pub function: Vec<String>,
    /// What it gets by place.
    pub positional: Vec<String>,
    /// What it gets by name.
    pub keyword: Vec<(String, String)>,
}

impl Call {
    /// Whether a tensor or argument is handed over.
    pub fn passes(&self, name: &str) -> bool {
        self.positional
            .iter()
            .chain(self.keyword.iter().map(|(_, passed)| passed))
            .any(|passed| passed == name)
    }
}

/// A function in a Python file beside `workloads.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Function {
    /// The file's name.
    pub file: String,
    /// The function's.
    pub name: String,
}

/// What a dimension may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// At least this.
    pub min: u64,
    /// At most this.
    pub max: Option<u64>,
    /// One of these.
    pub one_of: Option<Vec<u64>>,
    /// A multiple of this.
    pub multiple_of: u64,
}

impl Default for Dimension {
    fn default() -> Self {
        Self { min: 1, max: None, one_of: None, multiple_of: 1 }
    }
}

impl Dimension {
    /// Whether a size is allowed.
    pub fn allows(&self, size: u64) -> bool {
        let listed = self.one_of.as_ref().is_none_or(|sizes| sizes.contains(&size));
        let at_most = self.max.is_none_or(|max| size <= max);
        listed && at_most && size >= self.min && size.is_multiple_of(self.multiple_of)
    }

    /// The allowed size that is nearest to one that is wanted.
    pub fn nearest(&self, wanted: u64) -> u64 {
        if let Some(sizes) = &self.one_of {
            let allowed = sizes.iter().filter(|size| self.allows(**size));
            return allowed.min_by_key(|size| size.abs_diff(wanted)).copied().unwrap_or(self.min);
        }
        let bounded = wanted.max(self.min).min(self.max.unwrap_or(u64::MAX));
        let above = bounded.div_ceil(self.multiple_of) * self.multiple_of;
        if self.allows(above) { above } else { bounded / self.multiple_of * self.multiple_of }
    }
}

/// A tensor of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Its sizes.
    pub shape: Vec<Size>,
    /// Its own type, where it does not follow the workload's.
    pub dtype: Option<String>,
    /// Whole numbers are drawn from the first up to but without the second.
    pub range: Option<(i64, Size)>,
    /// How it is compared, where it is written.
    pub compare: Compare,
}

/// Declares an enumeration whose values have names in the file.
macro_rules! named {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $variant_doc:literal])* $variant:ident = $text:literal,)* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        pub enum $name { $($(#[doc = $variant_doc])* #[serde(rename = $text)] $variant,)* }

        impl $name {
            /// All of them, in the order in which they are documented.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its name in the file.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

named! {
    /// What a tensor is for.
    Role {
        /// It is read, and must be left as it is.
        Input = "input",
        /// It is written. Where the call does not pass it, the function returns it.
        Output = "output",
        /// It is read and written.
        Inout = "inout",
        /// It may be used freely; its content means nothing.
        Workspace = "workspace",
        /// It is read and stays the same from call to call, as weights do.
        Constant = "constant",
    }
}

named! {
    /// What an operation does with values that are no ordinary numbers.
    SpecialValues {
        /// NaN, infinities and denormal numbers come through as in the reference.
        Propagate = "propagate",
        /// The same, but denormal numbers may count as zero.
        IgnoreDenormals = "ignore-denormals",
        /// It is defined for finite numbers of ordinary size only.
        FiniteOnly = "finite-only",
    }
}

named! {
    /// How a tensor lies in memory.
    Layout {
        /// Element after element.
        Contiguous = "contiguous",
        /// The last two dimensions exchanged; every second element of a vector.
        Transposed = "transposed",
        /// Rows of a wider tensor.
        Rows = "rows",
        /// One element into its memory, so that it is not aligned.
        Offset = "offset",
        /// One row that is repeated, with a stride of 0.
        Expanded = "expanded",
    }
}

/// How an output is held against its reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    /// Some units in the last place; whole numbers must be equal.
    Ulp,
    /// Bit for bit the reference, rounded once.
    Exact,
    /// Whole numbers that may be off by one.
    Codes,
    /// The last dimension may be in any order.
    Permutation,
    /// Direction, distance and size of the whole.
    Metric(Metric),
    /// Not at all.
    Ignore,
}

/// Bounds for an output that is only near its reference, as a quantised one is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Metric {
    /// The cosine of both is at least this.
    pub cosine: f64,
    /// The length of the difference is at most this share of the reference's.
    pub relative: f64,
    /// The best factor between both is off 1 by at most this.
    pub scale: f64,
}

impl Default for Metric {
    fn default() -> Self {
        Self { cosine: 0.99, relative: 0.05, scale: 0.01 }
    }
}

/// How far an output may be off.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// Units in the last place.
    pub ulp: f64,
    /// Share of the exact value.
    pub relative: f64,
    /// Absolute amount.
    pub absolute: f64,
    /// Why more than the ordinary is right.
    pub reason: String,
}

/// One shape of an operation that matters.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// A size for each dimension.
    pub sizes: BTreeMap<String, u64>,
    /// Its types; those of the operation without it.
    pub dtypes: Option<Vec<String>>,
    /// How much it counts beside the others.
    pub weight: f64,
}
