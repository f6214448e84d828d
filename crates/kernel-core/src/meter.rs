//! Tells of bytes on their way: how many, how fast, and how long the rest will take.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kernel_spec::Event;

use crate::Context;

/// Earlier than this a rate says little.
const WORTH_TELLING: Duration = Duration::from_secs(5);

/// Counts bytes, from many threads, and tells of each hundredth of them.
pub struct Meter<'a> {
    context: &'a Context,
    /// What becomes of the bytes, as in `bytes sent`.
    what: &'static str,
    planned: u64,
    done: AtomicU64,
    told: AtomicU64,
    began: Instant,
}

impl<'a> Meter<'a> {
    /// A meter for so many bytes.
    pub fn new(context: &'a Context, what: &'static str, planned: u64) -> Self {
        let (done, told) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { context, what, planned, done, told, began: Instant::now() }
    }

    /// Hears of more bytes.
    pub fn add(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        // What another attempt moves again was not planned.
        let total = self.planned.max(done);
        let told = self.told.load(Ordering::Relaxed);
        if bytes == 0 || done < total && done.saturating_sub(told) < total / 100 {
            return;
        }
        self.told.fetch_max(done, Ordering::Relaxed);
        let pace = pace(done, total, self.began.elapsed());
        let message = format!("{}{}", self.what, pace.unwrap_or_default());
        self.context.sink.event(&Event::Progress { done, total, message });
    }

    /// Bytes so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }
}

/// How fast it goes and how long it still takes, once that can be said.
fn pace(done: u64, total: u64, time: Duration) -> Option<String> {
    if time < WORTH_TELLING {
        return None;
    }
    let rate = done.saturating_mul(1000) / u64::try_from(time.as_millis()).ok()?;
    let speed = match rate {
        0..1_000_000 => format!("{} kB/s", rate / 1000),
        _ => format!("{}.{} MB/s", rate / 1_000_000, rate / 100_000 % 10),
    };
    let left = (total - done).checked_div(rate)?;
    let left = match left {
        0..60 => format!("{left} s"),
        60..3600 => format!("{} min {} s", left / 60, left % 60),
        _ => format!("{} h {} min", left / 3600, left / 60 % 60),
    };
    Some(format!(", {speed}, {left} left"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_is_told_when_it_is_known() {
        let pace = |done, total, seconds| pace(done, total, Duration::from_secs(seconds));
        assert_eq!(pace(1000, 2000, 4), None);
        assert_eq!(pace(0, 2000, 10), None, "nothing moves");
        assert_eq!(pace(100_000, 400_000, 10).as_deref(), Some(", 10 kB/s, 30 s left"));
        assert_eq!(pace(125_000_000, 2_000_000_000, 10).as_deref(), Some(", 12.5 MB/s, 2 min 30 s left"));
        assert_eq!(pace(10_000_000, 100_000_000_000, 10).as_deref(), Some(", 1.0 MB/s, 27 h 46 min left"));
        assert_eq!(pace(2000, 2000, 10).as_deref(), Some(", 0 kB/s, 0 s left"));
    }
}
