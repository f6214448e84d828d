//! Counts what is sent, and tells of it.

use std::sync::atomic::{AtomicU64, Ordering};

use kernel_hub::publish::Step;
use kernel_spec::Event;

use crate::Context;

pub(super) struct Meter<'a> {
    context: &'a Context,
    planned: u64,
    sent: AtomicU64,
}

impl<'a> Meter<'a> {
    pub(super) fn new(context: &'a Context, planned: u64) -> Self {
        Self { context, planned, sent: AtomicU64::new(0) }
    }

    pub(super) fn hear(&self, step: Step) {
        let (Step::Sent(bytes) | Step::Committed(bytes)) = step;
        let sent = self.sent.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if bytes > 0 {
            // What another attempt sends again was not planned.
            let total = self.planned.max(sent);
            self.context.sink.event(&Event::Progress { done: sent, total, message: "bytes sent".to_owned() });
        }
    }

    /// Bytes so far.
    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}
