//! The answer of `plan`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Plan;

/// The answer of `plan`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlanReport {
    /// One plan for each variant.
    pub plans: Vec<Plan>,
}
