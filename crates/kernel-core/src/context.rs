//! What a verb may know of the world: captured once by the binary, so that no stage reads the environment, the clock
//! or the working directory behind its back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Sink;

use crate::process::is_secret;

/// The world as a verb sees it.
pub struct Context {
    /// Listener of events.
    pub sink: Arc<dyn Sink>,
    /// The process's environment when it started.
    pub environment: Environment,
    /// The working directory when the process started.
    pub working_directory: Utf8PathBuf,
    /// Seconds since 1970 by the machine's clock, read once: by it goes whatever is trusted, and until when.
    pub now: u64,
    /// The time that is written into documents, which who wants the same bytes again sets by `SOURCE_DATE_EPOCH`; else the
    /// same. Nothing is trusted by it.
    pub source_date: u64,
    /// Whether the network may be used.
    pub offline: bool,
    /// Set when the user interrupts.
    pub cancelled: Cancellation,
}

impl Context {
    /// A path of the user's, seen from the working directory, as people write it: without `.` on the way.
    pub fn resolve(&self, path: &Utf8Path) -> Utf8PathBuf {
        self.working_directory.join(path).components().collect()
    }
}

/// The environment variables of the process. Variables whose names are not UTF-8 are not in it; in values, what is not has
/// been replaced by U+FFFD.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// An environment of these variables.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(variables.into_iter().collect())
    }

    /// A variable's value; an empty one counts as unset, and so does a base directory of XDG that is not absolute, as its
    /// specification asks: what lies where somebody happens to work is not the user's.
    pub fn get(&self, name: &str) -> Option<&str> {
        let is_base = name == "XDG_RUNTIME_DIR" || (name.starts_with("XDG_") && name.ends_with("_HOME"));
        let is_set =
            |value: &&str| if is_base { Utf8Path::new(value).is_absolute() } else { !value.is_empty() };
        self.0.get(name).map(String::as_str).filter(is_set)
    }

    /// The names of all variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The values of variables whose names say that they are credentials, the longest first.
    pub fn secrets(&self) -> Vec<&str> {
        let named = self.0.iter().filter(|(name, value)| is_secret(name) && !value.is_empty());
        let mut secrets: Vec<&str> = named.map(|(_, value)| value.as_str()).collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets
    }

    /// The per-user configuration directory of this program, by the XDG base directory rules.
    pub fn configuration_directory(&self) -> Option<Utf8PathBuf> {
        self.user_directory("XDG_CONFIG_HOME", ".config")
    }

    /// The per-user cache directory of this program, by the XDG base directory rules.
    pub fn cache_directory(&self) -> Option<Utf8PathBuf> {
        let named = self.get("KERNEL_BUILDER_CACHE_DIR").map(Utf8PathBuf::from);
        named.or_else(|| self.user_directory("XDG_CACHE_HOME", ".cache"))
    }

    /// The per-user directory of what this program remembers, by the XDG base directory rules.
    pub fn state_directory(&self) -> Option<Utf8PathBuf> {
        self.user_directory("XDG_STATE_HOME", ".local/state")
    }

    fn user_directory(&self, variable: &str, in_home: &str) -> Option<Utf8PathBuf> {
        let path = |variable| self.get(variable).map(Utf8PathBuf::from);
        let directory = path(variable).or_else(|| Some(path("HOME")?.join(in_home)))?;
        Some(directory.join("kernel-builder"))
    }
}

/// A switch that ends long work early; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancellation {
    asked: Arc<AtomicBool>,
    /// Whether something is not as it would have been.
    cut: Arc<AtomicBool>,
}

impl Cancellation {
    /// Asks for the end.
    pub fn cancel(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// The switch itself, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.asked)
    }

    /// Whether the end was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Whether the end was asked for, of whoever then ends where nobody above can tell that from another failure.
    pub fn cuts_short(&self) -> bool {
        let cuts = self.is_cancelled();
        self.cut.fetch_or(cuts, Ordering::SeqCst);
        cuts
    }

    /// Whether anything was cut short: what was said of it is not true then.
    pub fn has_cut(&self) -> bool {
        self.cut.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_directories_that_are_not_absolute_count_as_unset() {
        let set = |value: &str| {
            let names = ["CONFIG", "CACHE", "STATE"].map(|name| format!("XDG_{name}_HOME"));
            let bases = names.map(|name| (name, value.to_owned()));
            Environment::new(bases.into_iter().chain([("HOME".to_owned(), "/home/user".to_owned())]))
        };
        let places = |environment: &Environment| {
            let places = [
                environment.configuration_directory(),
                environment.cache_directory(),
                environment.state_directory(),
            ];
            places.map(|place| place.map(Utf8PathBuf::into_string).unwrap_or_default())
        };
        assert_eq!(places(&set("/base")), ["/base/kernel-builder"; 3]);
        let usual = [".config", ".cache", ".local/state"].map(|at| format!("/home/user/{at}/kernel-builder"));
        for relative in ["base", "./base", "", "~/base"] {
            assert_eq!(places(&set(relative)), usual, "{relative}");
        }
    }
}
