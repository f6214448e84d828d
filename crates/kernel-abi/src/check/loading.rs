//! Properties by which a system refuses to load a library, or loads it differently than it was meant.

use kernel_spec::Severity;
use kernel_spec::code::abi;
use kernel_spec::finding::Subject;

use super::{Case, finding};
use crate::image::{ExecutableStack, Machine};

impl Case<'_> {
    pub(super) fn loading(&mut self) {
        let object = self.object;
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
        if object.isa_level > 1 {
            let message = format!("needs the instruction set x86-64-v{}", object.isa_level);
            let cause =
                "its properties note says so, and the loader refuses it on older processors".to_owned();
            self.error(&abi::INSTRUCTION_SET, message, cause, Subject::default());
        }
        self.search_paths();
    }

    fn search_paths(&mut self) {
        for entry in &self.object.search_paths {
            for directory in entry.path.split(':').filter(|directory| !directory.is_empty()) {
                let relative = ["$ORIGIN", "${ORIGIN}", "@loader_path", "@executable_path"]
                    .iter()
                    .any(|origin| directory.starts_with(origin));
                let severity = if relative { Severity::Warning } else { Severity::Error };
                let message = format!("its {} makes the loader search `{directory}`", entry.tag);
                let cause = if relative {
                    "a kernel is one library; nothing lies beside it".to_owned()
                } else {
                    "that directory exists on the machine that built it, or belongs to somebody else"
                        .to_owned()
                };
                let finding = finding(&abi::SEARCH_PATH, severity, message).cause(cause);
                self.add(finding, Subject::default());
            }
        }
    }
}
