//! How blocks are written down: a column for each of their parts, which is a tenth of a line for each block, and a word of
//! `B` and `C` for who ran first.

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::measurement::{Block, Marks, Order};

/// Blocks as columns.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Columns {
    /// Nanoseconds of one call of the baseline, block by block.
    baseline_ns: Vec<f64>,
    /// Nanoseconds of one call of the candidate, block by block.
    candidate_ns: Vec<f64>,
    /// Which arm ran first: `B` or `C` for each block.
    first: String,
    /// Blocks that the device's lowered clock disturbed, by position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    throttled: Vec<usize>,
    /// Blocks in which the processor changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    migrated: Vec<usize>,
    /// Blocks that were interrupted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    preempted: Vec<usize>,
}

pub(crate) fn serialize<S: Serializer>(blocks: &[Block], serializer: S) -> Result<S::Ok, S::Error> {
    let marked = |mark: fn(&Marks) -> bool| -> Vec<usize> {
        blocks.iter().enumerate().filter(|(_, block)| mark(&block.marks)).map(|(index, _)| index).collect()
    };
    let letter = |block: &Block| if block.order == Order::BaselineFirst { 'B' } else { 'C' };
    Columns {
        baseline_ns: blocks.iter().map(|block| block.baseline_ns).collect(),
        candidate_ns: blocks.iter().map(|block| block.candidate_ns).collect(),
        first: blocks.iter().map(letter).collect(),
        throttled: marked(|marks| marks.throttled),
        migrated: marked(|marks| marks.migrated),
        preempted: marked(|marks| marks.preempted),
    }
    .serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Block>, D::Error> {
    let columns = Columns::deserialize(deserializer)?;
    let count = columns.first.chars().count();
    if columns.baseline_ns.len() != count || columns.candidate_ns.len() != count {
        return Err(D::Error::custom("the columns of the blocks have different lengths"));
    }
    let orders = columns.first.chars().map(|letter| match letter {
        'B' => Ok(Order::BaselineFirst),
        'C' => Ok(Order::CandidateFirst),
        other => Err(D::Error::custom(format!("`{other}` is no arm; `B` and `C` are"))),
    });
    let times = columns.baseline_ns.iter().zip(&columns.candidate_ns);
    orders
        .zip(times)
        .enumerate()
        .map(|(index, (order, (baseline, candidate)))| {
            let marks = Marks {
                throttled: columns.throttled.contains(&index),
                migrated: columns.migrated.contains(&index),
                preempted: columns.preempted.contains(&index),
            };
            Ok(Block { baseline_ns: *baseline, candidate_ns: *candidate, order: order?, marks })
        })
        .collect()
}
