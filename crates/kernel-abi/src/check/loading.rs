//! Properties by which a system refuses to load a library, or loads it differently than it was meant.

use kernel_spec::Severity;
use kernel_spec::code::abi;
use kernel_spec::finding::Subject;

use super::{Case, finding};
use crate::image::{ExecutableStack, Format, Machine, Request};
use crate::policy::Manylinux;
use crate::policy::libraries::Origin;

impl Case<'_> {
    pub(super) fn loading(&mut self) {
        let object = self.object;
        for why in &object.refusals {
            let message = "the system's loader refuses it".to_owned();
            self.error(&abi::NOT_LOADABLE, message, (*why).to_owned(), Subject::default());
        }
        if object.small_pages && object.machine == Machine::Aarch64 {
            // `None` means systems like the one that built it, whose pages nobody knows.
            let severity = if self.policy.manylinux.is_some() { Severity::Error } else { Severity::Warning };
            let message = "systems with pages of 64 KiB refuse to load it".to_owned();
            let finding = finding(&abi::NOT_LOADABLE, severity, message)
                .cause("its segments are aligned to smaller pages; those of RHEL 8 for aarch64 have 64 KiB")
                .help("link it again without `-z max-page-size`: linkers for aarch64 align to 64 KiB by themselves");
            self.add(finding, Subject::default());
        }
        let why = match (object.executable_stack, object.machine) {
            (ExecutableStack::Yes, _) => Some("its stack header asks for an executable stack"),
            (ExecutableStack::Unstated, Machine::X86_64 | Machine::I686) => {
                Some("it has no stack header, and then this processor's default is an executable stack")
            }
            _ => None,
        };
        if let Some(why) = why {
            let message = "makes the stack executable; glibc refuses to load it since 2.41".to_owned();
            let cause = format!("{why}: hand-written assembly without the note, or nested functions");
            self.error(&abi::EXECUTABLE_STACK, message, cause, Subject::default());
        }
        if object.text_relocations {
            let message = "loading it writes into its code".to_owned();
            let cause = "it has text relocations: some object was compiled without `-fPIC`".to_owned();
            self.error(&abi::TEXT_RELOCATIONS, message, cause, Subject::default());
        }
        if object.writable_code {
            let message = "some of its code can be written to, which hardened systems refuse".to_owned();
            let cause = "a segment is writable and executable at once, as `-Wl,-N` links".to_owned();
            self.error(&abi::WRITABLE_CODE, message, cause, Subject::default());
        }
        if object.odd_pointers && !object.text_relocations {
            let message = "writes pointers at odd addresses when it is loaded".to_owned();
            let finding = finding(&abi::NOT_LOADABLE, Severity::Warning, message)
                .cause("either packed structures hold pointers, or somebody changed its relocations")
                .help("align what holds pointers: compilers and linkers do so by themselves");
            self.add(finding, Subject::default());
        }
        if object.cut {
            let message = "its table of sections lies outside of the file".to_owned();
            let finding = finding(&abi::DAMAGED, Severity::Warning, message)
                .cause("the file was cut, or its header changed; loaders do not read that table");
            self.add(finding, Subject::default());
        }
        self.unwinding();
        self.thread_storage();
        self.requests();
        if object.isa_level > 1 {
            let message = format!("needs the instruction set x86-64-v{}", object.isa_level);
            let cause =
                "its properties note says so, and the loader refuses it on older processors".to_owned();
            self.error(&abi::INSTRUCTION_SET, message, cause, Subject::default());
        }
        self.search_paths();
    }

    /// Exceptions that meet its functions, where nothing says how to leave them.
    fn unwinding(&mut self) {
        const THROWING: &[&str] = &[
            "_Unwind_RaiseException",
            "_Unwind_Resume",
            "__cxa_begin_catch",
            "__cxa_rethrow",
            "__cxa_throw",
            "__gxx_personality_v0",
        ];
        /// What throws for headers of libstdc++ and of Torch.
        const PREFIXES: &[&str] = &["_ZN3c106detail14torchCheckFail", "_ZSt20__throw_", "_ZSt24__throw_"];
        if self.object.unwinds || self.object.undefined().any(|symbol| symbol.name == "__register_frame_info")
        {
            return;
        }
        let throws =
            |name: &str| THROWING.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        let Some(throwing) = self.object.undefined().find(|symbol| throws(&symbol.name)) else { return };
        let name = throwing.name.to_string();
        let message = "exceptions in it end the process".to_owned();
        let cause = format!(
            "it takes `{name}`, and has no table that says how to leave its functions, or one that cannot be read"
        );
        self.error(&abi::NOT_LOADABLE, message, cause, Subject { symbol: Some(name), ..Subject::default() });
    }

    /// Storage of threads that is set aside when the process starts, of which little is left for libraries that come later.
    fn thread_storage(&mut self) {
        /// What glibc 2.28 sets aside for all of them together (`TLS_STATIC_SURPLUS`), in bytes.
        const SET_ASIDE: u64 = 1664;
        /// What that is aligned to, in bytes (`TCB_ALIGNMENT`), as long as no library that a program starts with wants more.
        const ALIGNED: u64 = 64;
        let bytes = self.object.thread_storage;
        if !self.object.static_thread_storage || bytes == 0 {
            return;
        }
        let alignment = self.object.thread_alignment;
        if alignment > ALIGNED {
            let message = format!(
                "needs storage for each thread that is aligned to {alignment} bytes from what the process set aside at its start"
            );
            let cause = format!(
                "that is aligned to {ALIGNED} bytes, and the loader refuses libraries that want more"
            );
            self.error(&abi::THREAD_STORAGE, message, cause, Subject::default());
        }
        let severity = if bytes > SET_ASIDE { Severity::Error } else { Severity::Warning };
        let message =
            format!("needs {bytes} bytes for each thread from what the process set aside at its start");
        let finding = finding(&abi::THREAD_STORAGE, severity, message).cause(format!(
            "old systems set aside {SET_ASIDE} bytes for all libraries that are loaded later"
        ));
        self.add(finding, Subject::default());
    }

    /// What it asks of the loader beyond loading it.
    fn requests(&mut self) {
        for request in &self.object.requests {
            let (severity, message, cause) = match request {
                Request::File(tag, file) => (
                    Severity::Error,
                    format!("its {tag} entry names `{file}`"),
                    "the loader brings that file in beside what the library needs, or instead of it",
                ),
                Request::NotByPrograms => (
                    Severity::Error,
                    "forbids to load it into a running program".to_owned(),
                    "it was linked with `-z nodlopen`, and every kernel is loaded that way",
                ),
                Request::OwnPathsOnly => (
                    Severity::Error,
                    "forbids to look for what it needs where the system has it".to_owned(),
                    "it was linked with `-z nodefaultlib`",
                ),
                Request::Global => (
                    Severity::Warning,
                    "shows its names to every library that is loaded after it".to_owned(),
                    "it was linked with `-z global`",
                ),
                Request::Interpose => (
                    Severity::Warning,
                    "puts its names before those of other libraries".to_owned(),
                    "it was linked with `-z interpose`",
                ),
            };
            let finding = finding(&abi::LOADER_REQUEST, severity, message).cause(cause);
            self.add(finding, Subject::default());
        }
        // The loader does not look for a library under whose name it has one already.
        let imitated = self.object.name.as_deref().filter(|name| {
            self.format == Format::Elf
                && (Manylinux::of_library(self.object.machine, name).is_some()
                    || self.policy.origin(name) != Origin::NotProvided)
        });
        if let Some(name) = imitated {
            let message = format!("calls itself `{name}`, as another library is called");
            let cause = "libraries that are loaded later and need that one get this instead".to_owned();
            self.error(&abi::LOADER_REQUEST, message, cause, Subject::default());
        }
    }

    fn search_paths(&mut self) {
        // The loader passes over a path without any entry.
        for entry in self.object.search_paths.iter().filter(|entry| !entry.path.is_empty()) {
            for directory in entry.path.split(':') {
                let (severity, shown, cause) = match Place::of(directory) {
                    Place::Beside => {
                        (Severity::Warning, directory, "a kernel is one library; nothing lies beside it")
                    }
                    Place::Outside => {
                        (Severity::Error, directory, "that is outside the variant, wherever somebody put it")
                    }
                    Place::Current => {
                        let shown = if directory.is_empty() { "(an empty entry)" } else { directory };
                        (
                            Severity::Error,
                            shown,
                            "that depends on the directory in which the program was started",
                        )
                    }
                    Place::Fixed => (
                        Severity::Error,
                        directory,
                        "that directory exists on the machine that built it, or belongs to somebody else",
                    ),
                };
                let message = format!("its {} makes the loader search `{shown}`", entry.tag);
                let finding = finding(&abi::SEARCH_PATH, severity, message).cause(cause);
                self.add(finding, Subject::default());
            }
        }
    }
}

/// Where an entry of a search path leads.
enum Place {
    /// Into the directory of the library, or one level up, as wheels do.
    Beside,
    /// Up from there, out of a variant.
    Outside,
    /// From the directory of the process.
    Current,
    /// To one place of a machine.
    Fixed,
}

impl Place {
    fn of(directory: &str) -> Self {
        let origins = ["$ORIGIN", "${ORIGIN}", "@loader_path", "@executable_path"];
        let below = origins.iter().find_map(|origin| directory.strip_prefix(origin));
        let Some(below) = below.filter(|below| below.is_empty() || below.starts_with('/')) else {
            return if directory.starts_with('/') { Self::Fixed } else { Self::Current };
        };
        let mut depth = 0_i32;
        for part in below.split('/') {
            match part {
                "" | "." => {}
                ".." => depth -= 1,
                _ => depth += 1,
            }
            if depth < -1 {
                return Self::Outside;
            }
        }
        Self::Beside
    }
}
