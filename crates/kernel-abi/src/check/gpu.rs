//! GPU code against what was promised.

use std::collections::BTreeSet;

use kernel_spec::code::abi;
use kernel_spec::finding::Subject;
use kernel_spec::{Backend, Finding, Severity};

use super::{Case, finding, some};
use crate::image::{COMPRESSED, GpuCode, GpuKind};

impl Case<'_> {
    pub(super) fn gpu(&mut self) {
        let (own, foreign): (Vec<GpuCode>, Vec<GpuCode>) =
            self.object.gpu.iter().cloned().partition(|code| backend(code.kind) == self.policy.backend);
        if !foreign.is_empty() {
            let kinds: BTreeSet<&str> = foreign.iter().map(|code| backend(code.kind).as_str()).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            let message = format!(
                "contains GPU code for {} in a variant for {}",
                kinds.join(" and "),
                self.policy.backend
            );
            let names: BTreeSet<&str> = foreign.iter().map(|code| code.architecture.as_str()).collect();
            let finding = finding(&abi::GPU_ARCHITECTURE, Severity::Warning, message).cause(some(names));
            self.add(finding, Subject::default());
        }
        let unknown: BTreeSet<&str> = own
            .iter()
            .filter(|code| code.kind == GpuKind::Unknown)
            .map(|code| code.architecture.as_str())
            .collect();
        if !unknown.is_empty() {
            let message = "holds CUDA code of a kind that is not known here".to_owned();
            let finding = finding(&abi::GPU_ARCHITECTURE, Severity::Note, message)
                .cause(format!("it is neither machine code nor PTX, and is for {}", some(unknown)));
            self.add(finding, Subject::default());
        }
        let Some(promised) = &self.policy.gpu else { return };
        for finding in compare(&own, promised, &ALONE) {
            self.add(finding, Subject::default());
        }
    }
}

/// How a comparison speaks of what it compared.
struct Words {
    lacks: &'static str,
    nothing: &'static str,
    holds: &'static str,
    exceeds: &'static str,
}

const ALONE: Words = Words {
    lacks: "has no GPU code for",
    nothing: "it contains no GPU code at all",
    holds: "it contains code for",
    exceeds: "has GPU code that its metadata does not name:",
};

const TOGETHER: Words = Words {
    lacks: "none of the libraries has GPU code for",
    nothing: "they contain no GPU code at all",
    holds: "together they contain code for",
    exceeds: "the libraries have GPU code that the metadata does not name:",
};

/// The GPU code of several libraries of one variant against what was promised of it, as metadata writes it: nobody says
/// which of them holds what.
pub fn gpu_code(codes: Vec<GpuCode>, of: Backend, promised: &BTreeSet<String>) -> Vec<Finding> {
    let own: Vec<GpuCode> = codes.into_iter().filter(|code| backend(code.kind) == of).collect();
    compare(&own, promised, &TOGETHER)
}

fn compare(own: &[GpuCode], promised: &BTreeSet<String>, words: &Words) -> Vec<Finding> {
    let told = |severity: Severity, message: String| finding(&abi::GPU_ARCHITECTURE, severity, message);
    if own.iter().any(|code| code.architecture == COMPRESSED) {
        let message = "compressed HIP code: its architectures cannot be compared with the metadata";
        return vec![told(Severity::Note, message.to_owned())];
    }
    let (found, machine_code) = (architectures(own), machine_code(own));
    let is_missing = |arch: &&String| !found.contains(*arch) && !machine_code.contains(*arch);
    let missing: Vec<&str> = promised.iter().filter(is_missing).map(String::as_str).collect();
    if !missing.is_empty() {
        let cause = match found.len() {
            0 => words.nothing.to_owned(),
            _ => format!("{} {}", words.holds, some(found.iter().map(String::as_str))),
        };
        return vec![told(Severity::Error, format!("{} {}", words.lacks, some(missing))).cause(cause)];
    }
    let extra: Vec<&str> = found.difference(promised).map(String::as_str).collect();
    if extra.is_empty() {
        return Vec::new();
    }
    vec![told(Severity::Warning, format!("{} {}", words.exceeds, some(extra)))]
}

/// The backend whose run time loads a kind of code.
fn backend(kind: GpuKind) -> Backend {
    match kind {
        GpuKind::Cubin | GpuKind::Ptx | GpuKind::Unknown => Backend::Cuda,
        GpuKind::Hip => Backend::Rocm,
        GpuKind::Sycl => Backend::Xpu,
    }
}

/// Architectures as metadata writes them: `9.0a`, `12.0+PTX`, `gfx942`. PTX beside machine code of the same number
/// is one entry.
pub(crate) fn architectures(codes: &[GpuCode]) -> BTreeSet<String> {
    let mut found = machine_code(codes);
    for code in codes.iter().filter(|code| code.kind == GpuKind::Ptx) {
        if let Some(number) = code.architecture.strip_prefix("compute_").map(dotted) {
            found.remove(&number);
            found.insert(format!("{number}+PTX"));
        }
    }
    found
}

/// Architectures for which there is machine code, whether or not there is PTX too.
fn machine_code(codes: &[GpuCode]) -> BTreeSet<String> {
    let own = |code: &GpuCode| match code.kind {
        GpuKind::Cubin => code.architecture.strip_prefix("sm_").map(dotted),
        GpuKind::Hip => code.architecture.split(':').next().map(ToOwned::to_owned),
        GpuKind::Ptx | GpuKind::Sycl | GpuKind::Unknown => None,
    };
    codes.iter().filter_map(own).collect()
}

/// `90a` is `9.0a`, `120` is `12.0`.
fn dotted(digits: &str) -> String {
    let suffix = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &digits[..digits.len() - suffix.len()];
    let (major, minor) = number.split_at(number.len().saturating_sub(1));
    format!("{major}.{minor}{suffix}")
}
