//! Facts against policy: the findings about one library.

mod bindings;
mod content;
mod exports;
mod gpu;
mod loading;
mod system;

pub use exports::entry_point;
pub use gpu::gpu_code;

use std::cmp::Reverse;

use kernel_spec::arch::{Cpu, Os};
use kernel_spec::code::abi;
use kernel_spec::finding::Subject;
use kernel_spec::{Code, Finding, Severity};

use crate::Policy;
use crate::image::{Format, Image, Kind, Machine, Object};

/// One library under judgement.
struct Case<'a> {
    file: &'a str,
    object: &'a Object,
    format: Format,
    policy: &'a Policy,
    findings: Vec<Finding>,
}

/// Every finding about the library at `file`, errors first.
pub fn check(file: &str, image: &Image, policy: &Policy) -> Vec<Finding> {
    judge(file, image, policy, Kind::SharedLibrary)
}

/// Every finding about the program at `file`: whether the systems of the policy can start it. What a library shows to
/// others, and what it takes from Python, does not matter there.
pub fn check_program(file: &str, image: &Image, policy: &Policy) -> Vec<Finding> {
    judge(file, image, policy, Kind::Program)
}

fn judge(file: &str, image: &Image, policy: &Policy, kind: Kind) -> Vec<Finding> {
    let subject = || Subject { file: Some(file.to_owned()), ..Subject::default() };
    let Some(object) = fitting(image, policy) else {
        return vec![wrong_machine(file, image, policy).about(subject())];
    };
    if object.kind != kind {
        let what = match object.kind {
            Kind::Program => "a program",
            Kind::SharedLibrary => "a library",
            Kind::Relocatable => "an object file that was not linked",
            Kind::Other => "of an unknown kind",
        };
        return vec![Finding::error(&abi::NOT_SHARED, format!("`{file}` is {what}")).about(subject())];
    }
    let format = image.format;
    let mut case = Case { file, object, format, policy, findings: Vec::new() };
    // The names and rules of Windows are other ones; such a library is only told apart.
    if format != Format::Pe {
        case.judge();
    }
    case.findings.sort_by_key(|finding| Reverse(finding.severity));
    case.findings
}

/// The part of a library that the policy's system loads.
fn fitting<'a>(image: &'a Image, policy: &Policy) -> Option<&'a Object> {
    let wanted = match policy.system.cpu {
        Cpu::Aarch64 => Machine::Aarch64,
        Cpu::X86_64 => Machine::X86_64,
    };
    let format = match policy.system.os {
        Os::Darwin => Format::MachO,
        Os::Linux => Format::Elf,
        Os::Windows => Format::Pe,
    };
    image.objects.iter().find(|object| image.format == format && object.machine == wanted)
}

fn wrong_machine(file: &str, image: &Image, policy: &Policy) -> Finding {
    let machines: Vec<String> = image.objects.iter().map(|object| object.machine.to_string()).collect();
    let format = match image.format {
        Format::Elf => "ELF (Linux)",
        Format::MachO => "Mach-O (macOS)",
        Format::Pe => "PE (Windows)",
    };
    Finding::error(&abi::MACHINE, format!("`{file}` was not made for {}", policy.system))
        .cause(format!("it is {format} for {}", machines.join(" and ")))
}

impl Case<'_> {
    fn judge(&mut self) {
        self.loading();
        self.needed();
        if self.format == Format::Elf {
            self.versions();
            self.versions_of_absent();
            self.packed_relocations();
            self.system_tag();
            self.forbidden_symbols();
        } else {
            self.macos();
        }
        if self.object.kind == Kind::Program {
            return;
        }
        self.python();
        self.torch();
        self.exports();
        self.content();
        self.gpu();
    }

    /// Ends a finding with what it is about; the file is filled in.
    fn add(&mut self, finding: Finding, subject: Subject) {
        let subject = Subject { file: Some(self.file.to_owned()), ..subject };
        self.findings.push(finding.about(subject));
    }

    fn error(&mut self, code: &'static Code, message: String, cause: String, subject: Subject) {
        let finding = finding(code, Severity::Error, message).cause(cause);
        self.add(finding, subject);
    }
}

/// Starts a finding of a severity that the case decides.
fn finding(code: &'static Code, severity: Severity, message: String) -> Finding {
    match severity {
        Severity::Error => Finding::error(code, message),
        Severity::Warning => Finding::warning(code, message),
        Severity::Note => Finding::note(code, message),
    }
}

/// The first few of many names, in backticks.
fn some<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 5;
    let names: Vec<&str> = names.into_iter().collect();
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match names.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{} and {more} more", shown.join(", ")),
        _ => shown.join(", "),
    }
}
