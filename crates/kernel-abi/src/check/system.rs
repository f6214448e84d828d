//! What a library takes from the system it is loaded on: versions, libraries, symbols.

use std::collections::{BTreeMap, BTreeSet};

use kernel_spec::Severity;
use kernel_spec::code::abi;
use kernel_spec::finding::Subject;

use super::{Case, finding, some};
use crate::image::{Format, VersionNode};
use crate::policy::libraries::{GOMP, GOMP_VERSIONS, Origin};
use crate::policy::manylinux::{self, Manylinux, PACKED_RELOCATIONS, Since};

/// The parts of glibc and GCC whose versions policies know; any other version of theirs is odd.
const VERSIONED: &[&str] = &[
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libstdc++.so.6",
    "libutil.so.1",
];

/// Versions of glibc that begin so are there for those who ask whether the loader can do something.
const FEATURES: &str = "GLIBC_ABI_";

/// What is loaded before any kernel: Python needs the first two, Torch and TVM FFI the others.
const LOADED: &[&str] = &["libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"];

impl Case<'_> {
    /// Needed versions, one finding for each with the symbols that need it.
    pub(super) fn versions(&mut self) {
        let Some(policy) = self.policy.manylinux else { return };
        let object = self.object;
        let mut users: BTreeMap<&VersionNode, BTreeSet<String>> =
            object.version_needs.iter().map(|need| (need, BTreeSet::new())).collect();
        for symbol in object.undefined() {
            if let Some(users) = symbol.version.and_then(|version| users.get_mut(version)) {
                users.insert(symbol.name.into_owned());
            }
        }
        for (need, symbols) in users {
            let library = need.library.clone().unwrap_or_default();
            if let (true, Some(symbol)) = (need.name.starts_with(FEATURES), symbols.first()) {
                let message = format!("takes `{symbol}` from `{library}` in `{}`", need.name);
                let cause = "that version stands for an ability of the loader, and has no symbols".to_owned();
                let version = Some(need.name.clone());
                let (symbol, library) = (Some(symbol.clone()), Some(library));
                self.error(
                    &abi::VERSION_NODE,
                    message,
                    cause,
                    Subject { symbol, version, library, ..Subject::default() },
                );
                continue;
            }
            let judged = Manylinux::of_version(object.machine, &need.name);
            let odd = match judged {
                Since::Policy(Some(since)) if since <= policy => continue,
                Since::Policy(Some(_)) => false,
                Since::Policy(None) => need.name.ends_with("_PRIVATE"),
                Since::NotJudged if library == GOMP && !GOMP_VERSIONS.contains(&need.name.as_str()) => false,
                Since::NotJudged
                    if VERSIONED.contains(&library.as_str())
                        || manylinux::is_loader(object.machine, &library) =>
                {
                    true
                }
                Since::NotJudged => continue,
            };
            let subject = Subject {
                symbol: symbols.first().cloned(),
                version: Some(need.name.clone()),
                library: Some(library.clone()),
                ..Subject::default()
            };
            let users = match symbols.len() {
                0 => "no symbol names it, but the loader asks for it all the same".to_owned(),
                _ => format!("needed by {}", some(symbols.iter().map(String::as_str))),
            };
            let (code, message) = if odd {
                (
                    &abi::VERSION_NODE,
                    format!("needs `{}` of `{library}`, which is not for programs", need.name),
                )
            } else if library == GOMP {
                let message = format!("needs `{}` of `{library}`; that of Torch does not have it", need.name);
                (&abi::SYMBOL_VERSION, message)
            } else {
                let newest = policy.newest(object.machine, &need.name);
                let limit = newest.map_or_else(|| "none".to_owned(), |newest| format!("`{newest}` at most"));
                (&abi::SYMBOL_VERSION, format!("needs `{}` of `{library}`; {policy} has {limit}", need.name))
            };
            self.error(code, message, users, subject);
        }
    }

    /// The system that it says it is for, which glibc compares up to 2.35 (`open_verify` in `elf/dl-load.c`).
    pub(super) fn system_tag(&mut self) {
        let Some(policy) = self.policy.manylinux else { return };
        let Some(kernel) = policy.oldest_kernel() else { return };
        let Some(system) = self.object.system.filter(|own| !own.is_linux || own.kernel > kernel) else {
            return;
        };
        let [major, minor, patch] = system.kernel;
        let wanted = if system.is_linux {
            format!("Linux {major}.{minor}.{patch} or newer")
        } else {
            "another system than Linux".to_owned()
        };
        let message = "the system's loader refuses it".to_owned();
        let [major, minor, _] = kernel;
        let cause =
            format!("its note says that it is for {wanted}; {policy} may run on Linux {major}.{minor}");
        self.error(&abi::NOT_LOADABLE, message, cause, Subject::default());
    }

    /// Relocations that the loaders of the policy skip, where no needed version keeps those from loading the library; and
    /// loaders that know them refuse libraries that need versions of libc without that one (`_dl_check_map_versions`).
    pub(super) fn packed_relocations(&mut self) {
        let object = self.object;
        let asks = object.version_needs.iter().any(|need| need.name == PACKED_RELOCATIONS);
        if !object.packed_relocations || asks {
            return;
        }
        let since = Manylinux::of_version(object.machine, PACKED_RELOCATIONS);
        let knows = |policy: &Manylinux| matches!(since, Since::Policy(Some(since)) if since <= *policy);
        let Some(policy) = self.policy.manylinux.filter(|policy| !knows(policy)) else {
            let of_libc = |library: &String| library.starts_with("libc.so.");
            if object.version_needs.iter().any(|need| need.library.as_ref().is_some_and(of_libc)) {
                let message = "has packed relocations, and does not say so".to_owned();
                let cause = format!(
                    "every loader that knows them refuses it without a need for `{PACKED_RELOCATIONS}`"
                );
                self.error(&abi::NOT_LOADABLE, message, cause, Subject::default());
            }
            return;
        };
        let message = format!("has packed relocations, which the oldest loaders of {policy} do not apply");
        let cause =
            format!("pointers in its data would stay wrong; it does not even ask for `{PACKED_RELOCATIONS}`");
        let subject = Subject { version: Some(PACKED_RELOCATIONS.to_owned()), ..Subject::default() };
        self.error(&abi::SYMBOL_VERSION, message, cause, subject);
    }

    /// Libraries of which it needs versions but that it does not need, and that nothing else brings.
    pub(super) fn versions_of_absent(&mut self) {
        let object = self.object;
        let files: BTreeSet<&String> =
            object.version_needs.iter().filter_map(|need| need.library.as_ref()).collect();
        for library in files {
            let loaded = object.needed.contains(library)
                || LOADED.contains(&library.as_str())
                || manylinux::is_loader(object.machine, library)
                || self.policy.origin(library) != Origin::NotProvided;
            if !loaded {
                let message = format!("needs versions of `{library}`, but not that library itself");
                let cause = "the loader ends the process where such a library is not loaded".to_owned();
                let subject = Subject { library: Some(library.clone()), ..Subject::default() };
                self.error(&abi::NEEDED, message, cause, subject);
            }
        }
    }

    /// Needed libraries that neither the policy nor the framework nor the backend provides.
    pub(super) fn needed(&mut self) {
        for library in &self.object.needed {
            let subject = Subject { library: Some(library.clone()), ..Subject::default() };
            if self.format == Format::Elf && library.contains('/') {
                let message = format!("needs `{library}` by its path");
                let cause =
                    "the loader looks there and nowhere else, and other machines have other files".to_owned();
                self.error(&abi::NEEDED, message, cause, subject);
                continue;
            }
            match (self.policy.origin(library), self.system_has(library)) {
                (Origin::Provided, _) | (Origin::NotProvided, true) => {}
                (Origin::OtherToolkit, _) => {
                    let toolkit = self.policy.toolkit.unwrap_or_default();
                    let message =
                        format!("needs `{library}`, but the variant is for version {toolkit} of the toolkit");
                    self.error(
                        &abi::NEEDED,
                        message,
                        "the major version is part of the library's name".to_owned(),
                        subject,
                    );
                }
                (Origin::NotProvided, false) => {
                    let message = format!("needs `{library}`, which the systems of the variant do not have");
                    let mut finding = finding(&abi::NEEDED, Severity::Error, message).cause(format!(
                        "it is no library of {}, {} or {}",
                        self.system_name(),
                        self.policy.framework,
                        self.policy.backend
                    ));
                    if let Some(help) = remedy(library) {
                        finding = finding.help(help);
                    }
                    self.add(finding, subject);
                }
            }
        }
    }

    fn system_name(&self) -> String {
        self.policy.manylinux.map_or_else(|| "the system".to_owned(), |policy| policy.to_string())
    }

    fn system_has(&self, library: &str) -> bool {
        match (self.format, self.policy.manylinux) {
            (Format::MachO, _) => {
                let system = ["/usr/lib/", "/System/Library/"].iter().any(|place| library.starts_with(place));
                system && !library.split('/').any(|part| part == "..")
            }
            (_, None) => true,
            (_, Some(policy)) => {
                Manylinux::of_library(self.object.machine, library).is_some_and(|since| since <= policy)
            }
        }
    }

    /// Symbols that some systems of the policy hide.
    pub(super) fn forbidden_symbols(&mut self) {
        let Some(policy) = self.policy.manylinux else { return };
        for (symbol, library, since) in manylinux::forbidden(self.object) {
            if since.is_none_or(|since| since > policy) {
                let message =
                    format!("takes `{symbol}` from `{library}`, which not every system of {policy} offers");
                let subject =
                    Subject { symbol: Some(symbol), library: Some(library.to_owned()), ..Subject::default() };
                self.error(
                    &abi::FORBIDDEN,
                    message,
                    "distributions differ in what they export".to_owned(),
                    subject,
                );
            }
        }
    }

    /// The oldest macOS.
    pub(super) fn macos(&mut self) {
        let allowed = &self.policy.minimum_macos;
        match &self.object.minimum_macos {
            Some(minimum) if allowed.reaches(minimum) => {}
            Some(minimum) => {
                let message = format!("needs macOS {minimum}; {allowed} at most is allowed");
                let subject = Subject { version: Some(minimum.to_string()), ..Subject::default() };
                let cause = "the linker wrote this deployment target into the library".to_owned();
                self.error(&abi::MACOS_VERSION, message, cause, subject);
            }
            None => {
                let message = "does not say which macOS it needs".to_owned();
                let finding = finding(&abi::MACOS_VERSION, Severity::Warning, message);
                self.add(finding, Subject::default());
            }
        }
    }
}

/// What to do about libraries that are needed by a common mistake.
fn remedy(library: &str) -> Option<&'static str> {
    if library.starts_with("libpython") {
        return Some("do not link libpython: the interpreter that loads the kernel brings it");
    }
    if library.starts_with("libgomp") || library.starts_with("libomp") || library.starts_with("libiomp") {
        return Some(
            "build without `-fopenmp`: no OpenMP run time is on every system, and only Torch brings one",
        );
    }
    if library.starts_with("libc.musl") || library == "libc.so" {
        return Some("build with a compiler for glibc: this library was made for musl");
    }
    None
}
