//! Makes a branch, or a pull request, hold what it should, exactly once. It remembers nothing: every step compares what is
//! there with what should be, and commits only on top of what it has seen. So an upload that was killed goes on where it
//! was, an answer that was lost is found out, and two uploads at once take turns.

mod batch;
mod difference;
mod kept;
mod listed;
mod send;
mod wanted;

pub use batch::MOST_CHANGES;
pub use difference::{Difference, difference, is_same};
pub use kept::confirm_branch;
pub use listed::read_listed;
pub use send::{Done, Publication, Step, Target, publish};
pub use wanted::{Content, Wanted, wanted_file};
