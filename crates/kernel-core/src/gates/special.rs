//! Which special values an operation has to bear.

use kernel_bench::protocol::Values;
use kernel_spec::workloads::{Operation, Role, SpecialValues};

/// Of finite numbers of ordinary size.
const FINITE: [Values; 6] =
    [Values::Small, Values::Large, Values::Spread, Values::Zeros, Values::Equal, Values::Sorted];
/// Beyond those.
const BEYOND: [Values; 4] = [Values::Largest, Values::Denormal, Values::Nan, Values::Infinity];

/// The values, or why none can be drawn.
pub(super) fn values(operation: &Operation) -> Result<Vec<Values>, &'static str> {
    if operation.inputs.is_some() {
        return Err("its inputs are made by a function of its own");
    }
    let is_whole = |dtype: &str| dtype.contains("int") || dtype == "bool";
    let reads = operation.tensors.iter().filter(|tensor| matches!(tensor.role, Role::Input | Role::Inout));
    let types = |own: &Option<String>| own.clone().map_or_else(|| operation.dtypes.clone(), |own| vec![own]);
    if reads.flat_map(|tensor| types(&tensor.dtype)).all(|dtype| is_whole(&dtype)) {
        return Err("its inputs are whole numbers");
    }
    let mut values = FINITE.to_vec();
    if operation.special_values != SpecialValues::FiniteOnly {
        values.extend(BEYOND);
    }
    // Where a sum overflows on the way depends on its order, which is nobody's fault.
    values.retain(|values| *values != Values::Largest || operation.terms.is_none());
    Ok(values)
}
