//! When a request is repeated, and how long to wait before: as long as the server asks, else longer each time and by
//! chance, so that many clients do not come back at once.

use std::time::{Duration, UNIX_EPOCH};

use super::response::Headers;

/// How often and how long to try.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Attempts in all.
    pub attempts: u32,
    /// Waiting in all, for one request.
    pub waiting: Duration,
    /// Before the second attempt, on average.
    pub first: Duration,
    /// Longest wait that the server has not asked for.
    pub longest: Duration,
    /// Silence that counts as the end of a transfer; a commit of many files takes the server its time.
    pub silence: Duration,
    /// Time after which an answer must have come with a least speed on average, counted from there.
    pub grace: Duration,
    /// This speed, in bytes per second.
    pub slowest: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            attempts: 8,
            waiting: Duration::from_mins(10),
            first: Duration::from_millis(100),
            longest: Duration::from_secs(10),
            silence: Duration::from_mins(3),
            grace: Duration::from_mins(1),
            slowest: 1000,
        }
    }
}

/// A request is going to be repeated.
#[derive(Clone, Debug)]
pub struct Notice {
    /// The host that did not answer as wished.
    pub host: String,
    /// Why, in one line.
    pub reason: String,
    /// When.
    pub wait: Duration,
}

impl Patience {
    /// The wait before the next attempt; none where patience ends. `asked` is what the server wants.
    pub(super) fn wait(&self, attempt: u32, waited: Duration, asked: Option<Duration>) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        let grown = self.first.saturating_mul(1 << attempt.saturating_sub(1).min(20)).min(self.longest);
        let wait = asked.unwrap_or_default().max(grown.mul_f64(0.5 + fastrand::f64()));
        // A server may ask for more than a clock can count.
        (waited.saturating_add(wait) <= self.waiting).then_some(wait)
    }
}

/// Whether a status says that the same request may go well later.
pub(super) fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

/// How long a server asks to wait: `Retry-After` in seconds or as a date, or `t=` of an exhausted `RateLimit`.
pub(super) fn asked(headers: &Headers) -> Option<Duration> {
    let after = headers.get("retry-after").and_then(|value| {
        let value = value.trim();
        value.parse().ok().map(Duration::from_secs).or_else(|| until(value, headers.get("date")?))
    });
    after.or_else(|| {
        let limit = headers.get("ratelimit")?;
        let field = |name: &str| {
            limit.split(';').find_map(|part| part.trim().strip_prefix(name)?.parse::<u64>().ok())
        };
        (field("r=")? == 0).then(|| field("t=").map(Duration::from_secs)).flatten()
    })
}

/// The time between two dates of one server: its clock need not be ours.
fn until(later: &str, now: &str) -> Option<Duration> {
    let seconds = |date: &str| httpdate::parse_http_date(date).ok()?.duration_since(UNIX_EPOCH).ok();
    seconds(later)?.checked_sub(seconds(now)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> Headers {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_server_asks_in_three_ways() {
        let seconds = |pairs: &[(&str, &str)]| asked(&headers(pairs)).map(|wait| wait.as_secs());
        assert_eq!(seconds(&[("retry-after", "7")]), Some(7));
        let now = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(seconds(&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT"), now]), Some(60));
        assert_eq!(seconds(&[("retry-after", "Sun, 06 Nov 1994 08:48:37 GMT"), now]), None);
        assert_eq!(seconds(&[("ratelimit", "\"api\";r=0;t=12")]), Some(12));
        assert_eq!(seconds(&[("ratelimit", "\"api\";r=3;t=12")]), None);
    }

    #[test]
    fn waits_grow_and_end() {
        let patience = Patience::default();
        let none = Duration::ZERO;
        let second = patience.wait(1, none, None).expect("a second attempt");
        assert!((50..=150).contains(&second.as_millis()), "{second:?}");
        assert!(patience.wait(7, none, None).expect("a last attempt") > Duration::from_secs(3));
        assert_eq!(patience.wait(8, none, None), None);
        assert_eq!(patience.wait(1, none, Some(Duration::from_hours(1))), None);
        let waited = Duration::from_secs(1);
        assert_eq!(patience.wait(1, waited, Some(Duration::from_secs(u64::MAX))), None);
        assert!(
            patience.wait(1, none, Some(Duration::from_secs(5))).expect("a wait") >= Duration::from_secs(5)
        );
    }
}
