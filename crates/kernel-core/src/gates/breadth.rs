//! How far each level goes: one row of numbers for each.

use kernel_spec::report::gates::Level;

/// What a level covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Breadth {
    /// Sets of inputs for each workload.
    pub(super) sets: usize,
    /// Awkward shapes.
    pub(super) shapes: usize,
    /// Shapes whose layouts are tried.
    pub(super) layouts: usize,
    /// Shapes that get special values.
    pub(super) special: usize,
    /// Shapes whose gradients are taken.
    pub(super) gradients: usize,
    /// Calls on the same inputs.
    pub(super) repeats: usize,
    /// Calls in each of several threads.
    pub(super) together: u32,
    /// Calls after which memory is weighed.
    pub(super) calls: u32,
    /// Elements of the largest tensor of a drawn shape.
    pub(super) elements: u64,
    /// Elements of the largest tensor of a workload that is tested.
    pub(super) workload: u64,
}

impl Breadth {
    /// What a level covers.
    pub(super) fn of(level: Level) -> Self {
        match level {
            Level::Ci => Self {
                sets: 2,
                shapes: 3,
                layouts: 1,
                special: 1,
                gradients: 1,
                repeats: 3,
                together: 10,
                calls: 80,
                elements: 1 << 16,
                workload: 1 << 22,
            },
            Level::Full => Self {
                sets: 3,
                shapes: 12,
                layouts: 2,
                special: 2,
                gradients: 2,
                repeats: 10,
                together: 50,
                calls: 400,
                elements: 1 << 18,
                workload: 1 << 25,
            },
            Level::Torture => Self {
                sets: 8,
                shapes: 60,
                layouts: 6,
                special: 6,
                gradients: 4,
                repeats: 100,
                together: 500,
                calls: 2000,
                elements: 1 << 20,
                workload: u64::MAX,
            },
        }
    }
}
