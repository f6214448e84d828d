//! What goes wrong on purpose: single faults for chosen requests, or a share of all requests by chance.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use crate::wire::{Delivery, Reply};

/// What happens to a request instead of, or beside, its ordinary answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is not done; this is answered.
    Refused(u16, Vec<(String, String)>),
    /// It is not done; this status is answered, and this text, which is no JSON.
    Worded(u16, &'static str),
    /// It is not done; the connection ends.
    Dropped,
    /// It is done, and the connection ends without an answer.
    DoneThenDropped,
    /// It is done, and this status is answered.
    DoneThen(u16),
    /// It is done, and the answer is cut off.
    Cut,
    /// It is done, and the answer comes late.
    Late(Duration),
}

/// A fault for the next requests that match.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The method; empty for all.
    pub method: &'static str,
    /// A part of the path.
    pub path: String,
    /// How many requests it hits.
    pub times: u32,
    /// What happens.
    pub kind: Kind,
}

/// All faults to come.
#[derive(Debug, Default)]
pub struct Faults {
    planned: Mutex<Vec<Fault>>,
    chance: Mutex<Option<(fastrand::Rng, f64)>>,
    /// What went wrong so far, by kind of request and kind of fault.
    happened: Mutex<BTreeMap<(String, String), u64>>,
}

impl Faults {
    /// Adds a fault.
    pub fn plan(&self, fault: Fault) {
        lock(&self.planned).push(fault);
    }

    /// From now on a share of all requests goes wrong, the same ones for the same seed; zero ends it.
    pub fn by_chance(&self, seed: u64, share: f64) {
        *lock(&self.chance) = Some((fastrand::Rng::with_seed(seed), share));
    }

    /// What went wrong so far: how often, by kind of request and kind of fault.
    pub fn happened(&self) -> BTreeMap<(String, String), u64> {
        lock(&self.happened).clone()
    }

    /// What happens to a request.
    pub(crate) fn of(&self, method: &str, path: &str) -> Option<Kind> {
        let kind = self.choose(method, path)?;
        *lock(&self.happened).entry((request(method, path), kind.name())).or_default() += 1;
        Some(kind)
    }

    fn choose(&self, method: &str, path: &str) -> Option<Kind> {
        let mut planned = lock(&self.planned);
        let hit = planned.iter_mut().find(|fault| {
            fault.times > 0
                && (fault.method.is_empty() || fault.method == method)
                && path.contains(&fault.path)
        });
        if let Some(fault) = hit {
            fault.times -= 1;
            return Some(fault.kind.clone());
        }
        let mut chance = lock(&self.chance);
        let (random, share) = chance.as_mut()?;
        (random.f64() < *share).then(|| match random.u8(0..9) {
            0 => Kind::Refused(500, Vec::new()),
            1 => Kind::Refused(503, Vec::new()),
            2 => Kind::Refused(429, vec![("retry-after".to_owned(), "0".to_owned())]),
            3 | 4 => Kind::Dropped,
            5 => Kind::DoneThenDropped,
            6 => Kind::DoneThen(500),
            7 => Kind::Cut,
            _ => Kind::Late(Duration::from_millis(random.u64(1..60))),
        })
    }
}

/// The kind of a request: its method, and the word of its path that says what it is.
fn request(method: &str, path: &str) -> String {
    const WORDS: [&str; 14] = [
        "whoami-v2",
        "create",
        "token",
        "overview",
        "refs",
        "branch",
        "tree",
        "preupload",
        "batch",
        "commit",
        "resolve",
        "part",
        "complete",
        "verify",
    ];
    let large = if path.starts_with("/large/whole/") { "whole" } else { "other" };
    let word = path.split('/').find(|part| WORDS.contains(part)).unwrap_or(large);
    format!("{method} {word}")
}

impl Kind {
    /// Its name, for counting.
    fn name(&self) -> String {
        match self {
            Kind::Refused(status, _) => format!("refused {status}"),
            Kind::Worded(status, _) => format!("worded {status}"),
            Kind::Dropped => "dropped".to_owned(),
            Kind::DoneThenDropped => "done, then dropped".to_owned(),
            Kind::DoneThen(status) => format!("done, then {status}"),
            Kind::Cut => "cut off".to_owned(),
            Kind::Late(_) => "late".to_owned(),
        }
    }

    /// The answer without the request being done, where it is not.
    pub(crate) fn before(&self) -> Option<Reply> {
        match self {
            Kind::Refused(status, headers) => {
                let reply = Reply::json(*status, r#"{"error": "a planned fault"}"#);
                let reply = reply.header("x-request-id", "planned");
                Some(headers.iter().fold(reply, |reply, (name, value)| reply.header(name, value)))
            }
            Kind::Worded(status, text) => Some(Reply::bytes(*status, *text)),
            Kind::Dropped => Some(Reply::empty(500).delivered(Delivery::Never)),
            _ => None,
        }
    }

    /// What becomes of the answer of a request that was done.
    pub(crate) fn after(&self, reply: Reply) -> Reply {
        match self {
            Kind::DoneThenDropped => reply.delivered(Delivery::Never),
            Kind::DoneThen(status) => Reply::json(*status, r#"{"error": "a planned fault"}"#),
            Kind::Cut => reply.delivered(Delivery::Cut(3)),
            Kind::Late(time) => reply.delivered(Delivery::Late(*time)),
            Kind::Refused(..) | Kind::Worded(..) | Kind::Dropped => reply,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
