//! One process as one number. Clocks, neighbours and temperature hit both arms of a block alike and cancel in its ratio;
//! the median forgets single interruptions; taking it for each order apart keeps what the second place in a block gains
//! or loses out of it. What is left between processes is layout, which only more processes can average.

use crate::measurement::{Block, Order, Process};
use crate::statistics::{interquartile_range, median};

/// A block this far from its process's middle is wild: ln 1.2.
const WILD: f64 = 0.182_321_556_793_954_6;
/// Blocks that are left of each order before they are taken apart.
const LEAST_OF_AN_ORDER: usize = 4;

/// One process as one number.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// Logarithm of the speed-up in this process.
    pub value: f64,
    /// Logarithms of the speed-up in its blocks, in their order.
    pub blocks: Vec<f64>,
    /// Share of blocks further than 20 % from the value.
    pub wild: f64,
    /// Distance between the quartiles of the blocks.
    pub spread: f64,
}

impl Paired {
    /// Of this process; nothing where no block is usable.
    pub fn of(process: &Process) -> Option<Self> {
        let usable: Vec<&Block> = usable(process);
        let blocks: Vec<f64> = usable.iter().map(|block| ratio(block)).collect();
        let value = middle(&usable);
        if !value.is_finite() {
            return None;
        }
        let far = blocks.iter().filter(|block| (*block - value).abs() > WILD).count();
        let spread = interquartile_range(&blocks);
        #[expect(clippy::cast_precision_loss, reason = "a process has few blocks")]
        let wild = far as f64 / blocks.len() as f64;
        Some(Self { value, blocks, wild, spread })
    }
}

/// Blocks with times in them; throttled ones only where most are.
fn usable(process: &Process) -> Vec<&Block> {
    let timed = |time: f64| time.is_finite() && time > 0.0;
    let mut usable: Vec<&Block> =
        process.blocks.iter().filter(|block| timed(block.baseline_ns) && timed(block.candidate_ns)).collect();
    let calm = usable.iter().filter(|block| !block.marks.throttled).count();
    if calm * 2 >= usable.len() {
        usable.retain(|block| !block.marks.throttled);
    }
    usable
}

fn ratio(block: &Block) -> f64 {
    (block.baseline_ns / block.candidate_ns).ln()
}

fn middle(blocks: &[&Block]) -> f64 {
    let of = |order| blocks.iter().filter(|block| block.order == order).map(|block| ratio(block)).collect();
    let (first, second): (Vec<f64>, Vec<f64>) = (of(Order::BaselineFirst), of(Order::CandidateFirst));
    if first.len().min(second.len()) < LEAST_OF_AN_ORDER {
        return median(&[first, second].concat());
    }
    f64::midpoint(median(&first), median(&second))
}
