//! An answer that keeps coming, or content that keeps being taken, but so slowly that it would never end. The limit of silence
//! does not see it: there is always another byte.

use std::io::{Error, Read, Result};
use std::time::Instant;

use super::retry::Patience;

/// Reads for as long as that goes fast enough on average, counted from the first byte that is wanted: an answer as fast as it
/// comes, or what is sent as fast as the network takes it.
pub(super) struct Paced<R> {
    reader: R,
    patience: Patience,
    began: Option<Instant>,
    bytes: u64,
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
        Self { reader, patience, began: None, bytes: 0 }
    }
}

impl<R: Read> Read for Paced<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let began = *self.began.get_or_insert_with(Instant::now);
        let count = self.reader.read(buffer)?;
        self.bytes += count as u64;
        let (time, Patience { grace, slowest, .. }) = (began.elapsed(), self.patience);
        let due = time.saturating_sub(grace).as_secs_f64() * f64::from(slowest);
        #[expect(clippy::cast_precision_loss, reason = "a rate, not a count")]
        if count > 0 && (self.bytes as f64) < due {
            return Err(Error::other(TooSlow { bytes: self.bytes, seconds: time.as_secs() }));
        }
        Ok(count)
    }
}
