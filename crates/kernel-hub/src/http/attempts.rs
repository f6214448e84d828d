//! Trying again: counting attempts and waiting between them, as long as patience lasts.

use std::time::{Duration, Instant};

use super::address::Address;
use super::client::{Client, Failed};
use super::error::HttpError;
use super::retry::{self, Notice};

/// The attempts of one piece of work.
pub struct Attempts<'a> {
    client: &'a Client,
    host: String,
    count: u32,
    waited: Duration,
}

impl<'a> Attempts<'a> {
    /// Attempts at an address.
    pub fn new(client: &'a Client, address: &str) -> Result<Self, HttpError> {
        let host = Address::parse(address)?.host().to_owned();
        Ok(Self { client, host, count: 0, waited: Duration::ZERO })
    }

    /// Forgets the attempts so far: one of them has brought the work forward.
    pub fn restart(&mut self) {
        (self.count, self.waited) = (0, Duration::ZERO);
    }

    /// Waits before the next attempt; answers the error `end` where patience has ended.
    pub fn wait_after<E: From<HttpError>>(&mut self, reason: &str, end: E) -> Result<(), E> {
        if self.pause(reason, None)? { Ok(()) } else { Err(end) }
    }

    /// Waits before the next attempt; the error where there is none.
    pub(super) fn wait(&mut self, failed: Failed) -> Result<(), HttpError> {
        let waited = match &failed {
            Failed::Transport(reason) => self.pause(&reason.to_string(), None)?,
            Failed::Transient(response) => {
                self.pause(&response.problem().to_string(), retry::asked(&response.headers))?
            }
            Failed::Final(_) => false,
        };
        if waited { Ok(()) } else { Err(self.give_up(failed)) }
    }

    fn pause(&mut self, reason: &str, asked: Option<Duration>) -> Result<bool, HttpError> {
        self.count += 1;
        let settings = &self.client.settings();
        let Some(wait) = settings.patience.wait(self.count, self.waited, asked) else {
            return Ok(false);
        };
        (settings.observer)(&Notice { host: self.host.clone(), reason: reason.to_owned(), wait });
        let end = Instant::now() + wait;
        while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            if self.client.is_cancelled() {
                return Err(HttpError::Interrupted);
            }
            std::thread::sleep(left.min(Duration::from_millis(50)));
        }
        self.waited = self.waited.saturating_add(wait);
        Ok(true)
    }

    /// The error of an attempt after which there is no other.
    pub(super) fn give_up(&self, failed: Failed) -> HttpError {
        match failed {
            Failed::Transport(reason) => HttpError::Unreachable { host: self.host.clone(), reason },
            Failed::Transient(response) => HttpError::from_problem(response.problem()),
            Failed::Final(error) => error,
        }
    }
}
