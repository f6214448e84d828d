//! What a variant is compiled with, held against the lock.

use kernel_spec::{Finding, code};

use super::{Lock, LockedSystem};
use crate::toolchain::compiler::CompilerIdentity;
use crate::toolchain::framework::PythonHeaders;
use crate::toolchain::store::Part;

/// What a variant is compiled with.
#[derive(Clone, Copy, Debug)]
pub struct Used<'a> {
    /// The parts it needs that can be fetched.
    pub parts: &'a [Part],
    /// In words: what it needs and cannot be fetched.
    pub others: &'a [String],
    /// The compiler.
    pub compiler: &'a CompilerIdentity,
    /// Python's headers, where they are read.
    pub python: Option<&'a PythonHeaders>,
}

/// What is not as the lock says, a line each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences(Vec<String>);

impl Differences {
    /// Whether everything is as locked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One finding for each: errors where the lock was demanded.
    pub fn findings(&self, demanded: bool) -> impl Iterator<Item = Finding> {
        self.0.iter().map(move |difference| {
            let make = if demanded { Finding::error } else { Finding::warning };
            make(&code::toolchain::UNLOCKED, difference.clone()).help(code::toolchain::UNLOCKED.remedy)
        })
    }
}

impl Lock {
    /// Compares. Parts that the lock names are taken by its hashes and by nothing else, so they need no comparison.
    pub fn differences(&self, used: Used) -> Differences {
        let Some(locked) = &self.locked else {
            return Differences(vec![format!("the lock says nothing of {}", self.system)]);
        };
        let mut lines = compilers(&locked.compiler, used.compiler);
        lines.extend(used.python.and_then(|found| python(locked, found)));
        let unknown = used.parts.iter().filter(|part| self.part(part).is_none());
        lines.extend(unknown.map(|part| format!("`{part}` is not in the lock")));
        lines.extend(used.others.iter().map(|other| format!("{other} cannot be locked")));
        Differences(lines)
    }
}

fn python(locked: &LockedSystem, found: &PythonHeaders) -> Option<String> {
    match &locked.python {
        None => Some("Python's headers are not in the lock".to_owned()),
        Some(locked) if locked.version != found.version => {
            Some(format!("Python is {}, locked is {}", found.version, locked.version))
        }
        Some(locked) if locked != found => {
            Some(format!("Python {} is configured in another way than the locked one", found.version))
        }
        Some(_) => None,
    }
}

/// How a compiler differs from the locked one, a line for each part.
fn compilers(locked: &CompilerIdentity, found: &CompilerIdentity) -> Vec<String> {
    let words = [
        ("version", &locked.version, &found.version),
        ("name", &locked.vendor, &found.vendor),
        ("machine", &locked.machine, &found.machine),
    ];
    let mut lines: Vec<String> = words
        .into_iter()
        .filter(|(_, locked, found)| locked != found)
        .map(|(what, locked, found)| format!("the compiler's {what} is `{found}`, locked is `{locked}`"))
        .collect();
    let mut names: Vec<&String> = locked.parts.keys().chain(found.parts.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let of = |identity: &CompilerIdentity| match identity.parts.get(name) {
            Some(digest) => digest.get(..12).unwrap_or(digest).to_owned(),
            None => "absent".to_owned(),
        };
        if locked.parts.get(name) != found.parts.get(name) {
            lines.push(format!("the compiler's `{name}` is {}, locked is {}", of(found), of(locked)));
        }
    }
    lines
}
