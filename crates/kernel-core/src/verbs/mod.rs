//! The verbs: what the program does, one file for each command that does more than to look something up.

pub mod audit;
pub mod bench;
pub mod build;
pub mod card;
pub mod check;
pub mod check_abi;
pub mod clean;
pub mod collect;
pub mod doctor;
pub mod hash;
pub mod ide;
pub mod inspect;
pub mod migrate;
pub mod pin;
pub mod plan;
pub mod plan_matrix;
pub mod run;
pub mod sign;
pub mod skills;
pub mod status;
mod subject;
pub mod test;
pub mod toolchain;
pub mod upload;
pub mod validate;
pub mod variants;
pub mod verify;
