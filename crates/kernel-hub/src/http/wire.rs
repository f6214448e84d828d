//! Watches how fast answers come over a connection. A reader of bodies sees nothing of what is around them: the sizes of
//! chunks, their extensions, trailers. A server that sends those byte by byte, or without end, would keep it waiting for ever.

use std::cell::Cell;
use std::time::Duration;

use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

use super::paced::{Pace, TooSlow};
use super::retry::Patience;

/// Makes connections that are watched.
#[derive(Debug)]
pub(super) struct Watching(pub(super) Patience);

impl<In: Transport> Connector<In> for Watching {
    type Out = Watched<In>;

    fn connect(&self, _: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Watched<In>>, Error> {
        let Patience { silence, grace, slowest, .. } = self.0;
        // As long as an answer may take to begin: an early word of a server that still works is no slow answer.
        let grace = silence.saturating_add(grace);
        Ok(chained.map(|inner| Watched { inner, pace: None, grace, slowest }))
    }
}

/// Told apart from what is sent too slowly.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) struct SlowAnswer(TooSlow);

/// Most bytes that come between two pieces of a body that are handed out: more than all buffers on the way hold, and more than
/// what is around a piece. What follows a body is in none.
const BETWEEN: u64 = 4 << 20;

thread_local! {
    /// Bytes that came for this thread since it was handed the piece before.
    static CAME: Cell<u64> = const { Cell::new(0) };
}

/// Says that another piece of a body is asked for.
pub(super) fn begin_piece() {
    CAME.set(0);
}

/// A server that sends more and more around or behind a body.
#[derive(Debug, thiserror::Error)]
#[error("it sent more than {} MiB that are no part of the answer", BETWEEN >> 20)]
pub(super) struct NoPart;

/// A connection, and how fast the answer comes that is on its way.
#[derive(Debug)]
pub(super) struct Watched<T> {
    inner: T,
    /// Since the first byte behind what was sent last.
    pace: Option<Pace>,
    grace: Duration,
    slowest: u32,
}

impl<T: Transport> Transport for Watched<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.pace = None;
        begin_piece();
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let before = self.inner.buffers().input().len();
        let came = self.inner.await_input(timeout)?;
        let count = self.inner.buffers().input().len().saturating_sub(before);
        let pace = self.pace.get_or_insert_with(Pace::start);
        pace.add(count as u64);
        CAME.set(CAME.get().saturating_add(count as u64));
        if CAME.get() > BETWEEN {
            return Err(std::io::Error::other(NoPart).into());
        }
        match pace.too_slow(self.grace, self.slowest).filter(|_| came) {
            Some(slow) => Err(std::io::Error::other(SlowAnswer(slow)).into()),
            None => Ok(came),
        }
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}
