//! Measures a kernel against what it replaces, and decides without fooling itself. A crate of its own because the
//! procedure can be used alone, on measurements of any origin, and because its error rates are proved by simulation:
//! what decides has no input, output, clock or randomness that is not handed to it.
//!
//! The way of a run: `protocol` (what parent and children say) → `judge` (are the outputs right?) → `measurement` (what was
//! timed) → `statistics` (formulas) → `decision` (verdicts, look by look) → `report` (the result document and its forms).

mod columns;
pub mod decision;
pub mod judge;
pub mod measurement;
pub mod protocol;
pub mod report;
pub mod statistics;
