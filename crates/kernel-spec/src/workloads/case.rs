//! One call of an operation: its tensors with their sizes worked out.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Operation, Role};

/// A size for each dimension.
pub type Sizes = BTreeMap<String, u64>;

/// A tensor of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CaseTensor {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Its shape.
    pub shape: Vec<u64>,
    /// Its type.
    pub dtype: String,
    /// Whole numbers are drawn from the first up to but without the second.
    pub range: Option<(i64, i64)>,
}

impl Operation {
    /// The tensors of a call; `None` where a shape cannot be worked out from these sizes.
    pub fn tensors_of(&self, sizes: &Sizes, dtype: &str) -> Option<Vec<CaseTensor>> {
        let tensor = |tensor: &super::Tensor| {
            let range = match &tensor.range {
                None => None,
                Some((low, high)) => {
                    Some((*low, i64::try_from(high.of(sizes)?).ok()?)).filter(|(low, high)| low < high)
                }
            };
            Some(CaseTensor {
                name: tensor.name.clone(),
                role: tensor.role,
                shape: tensor.shape.iter().map(|size| size.of(sizes)).collect::<Option<_>>()?,
                dtype: tensor.dtype.clone().unwrap_or_else(|| dtype.to_owned()),
                range,
            })
        };
        self.tensors.iter().map(tensor).collect()
    }

    /// What it writes, in the order in which the reference returns it.
    pub fn written(&self) -> impl Iterator<Item = &super::Tensor> {
        self.tensors.iter().filter(|tensor| matches!(tensor.role, Role::Output | Role::Inout))
    }
}
