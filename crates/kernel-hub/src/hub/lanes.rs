//! Transfers side by side: most of their time they wait.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::HubError;

/// Transfers at once.
const LANES: usize = 4;

/// Does all jobs, some at a time; the first that fails ends the others.
pub(super) fn side_by_side<J: Sync>(
    jobs: &[J],
    transfer: &(dyn Fn(&J) -> Result<(), HubError> + Sync),
) -> Result<(), HubError> {
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    let failed = || failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..LANES.min(jobs.len()) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = transfer(job) {
                        failed().get_or_insert(error);
                        next.store(jobs.len(), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let first = failed().take();
    first.map_or(Ok(()), Err)
}
