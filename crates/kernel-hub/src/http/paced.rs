//! An answer that keeps coming, or content that keeps being taken, but so slowly that it would never end. The limit of silence
//! does not see it: there is always another byte.

use std::io::{Error, Read, Result};
use std::time::{Duration, Instant};

use super::guard::guarded;
use super::retry::Patience;
use super::wire::begin_piece;

/// How much has come since when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    began: Instant,
    bytes: u64,
}

impl Pace {
    /// Begins now.
    pub(super) fn start() -> Self {
        Self { began: Instant::now(), bytes: 0 }
    }

    /// Counts bytes.
    pub(super) fn add(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// What is wrong where less than `slowest` bytes per second came on average, the first time of `grace` left out.
    pub(super) fn too_slow(&self, grace: Duration, slowest: u32) -> Option<TooSlow> {
        let time = self.began.elapsed();
        let due = time.saturating_sub(grace).as_secs_f64() * f64::from(slowest);
        #[expect(clippy::cast_precision_loss, reason = "a rate, not a count")]
        let is_slow = (self.bytes as f64) < due;
        is_slow.then_some(TooSlow { bytes: self.bytes, seconds: time.as_secs() })
    }
}

/// Reads for as long as that goes fast enough on average, counted from the first byte that is wanted: an answer as fast as it
/// comes, or what is sent as fast as the network takes it.
pub(super) struct Paced<R> {
    reader: R,
    patience: Patience,
    pace: Option<Pace>,
}

/// Told through readers, which know errors of the system only.
#[derive(Debug, thiserror::Error)]
#[error("{bytes} bytes in {seconds} seconds")]
pub(super) struct TooSlow {
    bytes: u64,
    seconds: u64,
}

impl<R> Paced<R> {
    pub(super) fn new(reader: R, patience: Patience) -> Self {
        Self { reader, patience, pace: None }
    }
}

impl<R: Read> Read for Paced<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let pace = self.pace.get_or_insert_with(Pace::start);
        begin_piece();
        let count = guarded(|| self.reader.read(buffer))?;
        pace.add(count as u64);
        let Patience { grace, slowest, .. } = self.patience;
        match pace.too_slow(grace, slowest).filter(|_| count > 0) {
            Some(slow) => Err(Error::other(slow)),
            None => Ok(count),
        }
    }
}
