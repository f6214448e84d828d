//! The keys of every table, as data.

use crate::manifest::keys::{Key, optional, required};

pub(super) static ROOT: &[Key] = &[required("schema"), required("operation")];

pub(super) static OPERATION: &[Key] = &[
    optional("call"),
    required("reference"),
    optional("inputs"),
    required("dtypes"),
    optional("dims"),
    required("tensors"),
    optional("arguments"),
    optional("special-values"),
    optional("deterministic"),
    optional("stochastic"),
    optional("terms"),
    optional("tolerance"),
    optional("unsupported-layouts"),
    optional("aliasing"),
    optional("grad"),
    optional("workload"),
];

pub(super) static DIMENSION: &[Key] =
    &[optional("min"), optional("max"), optional("in"), optional("multiple-of")];

pub(super) static TENSOR: &[Key] = &[
    optional("shape"),
    optional("role"),
    optional("dtype"),
    optional("low"),
    optional("high"),
    optional("compare"),
    optional("metric"),
];

pub(super) static METRIC: &[Key] = &[optional("cosine"), optional("relative"), optional("scale")];

pub(super) static TOLERANCE: &[Key] =
    &[optional("ulp"), optional("relative"), optional("absolute"), required("reason")];

pub(super) static WORKLOAD: &[Key] =
    &[required("name"), required("sizes"), optional("dtypes"), optional("weight")];
