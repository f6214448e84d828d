//! What CUDA adds to a plan: for which architectures a component is compiled, and the flags that make nvcc do exactly
//! that, the same on every machine.

use kernel_spec::capability::{Capability, Dropped, Selection, select_cuda};
use kernel_spec::manifest::types::Target;
use kernel_spec::plan::Flag;
use kernel_spec::{Finding, Located, SourceText, Version, code};

use super::components::SourceSet;
use super::cuda_clang;

/// The architectures of one component.
pub(super) struct Architectures {
    /// What it is compiled for.
    pub kept: Vec<Capability>,
    /// What it is not compiled for, and why.
    pub findings: Vec<Finding>,
}

/// Chooses of what a component lists, else of what its toolkit builds by default.
pub(super) fn architectures(
    set: &SourceSet,
    (toolkit, clang): (&Version, Option<u32>),
    defaults: &[Capability],
    text: &SourceText,
) -> Architectures {
    let listed = listed(set);
    let parsed: Vec<Capability> = listed.iter().filter_map(|entry| entry.value.parse().ok()).collect();
    let knows = |target: &Capability| clang.is_none_or(|clang| cuda_clang::knows(clang, *target));
    let (parsed, unknown): (Vec<Capability>, Vec<Capability>) = parsed.into_iter().partition(knows);
    let (defaults, unknown_defaults): (Vec<Capability>, Vec<Capability>) =
        defaults.iter().copied().partition(knows);
    // What is listed and not known is told; of what a toolkit builds by itself, that which nothing listed is for.
    let unknown = if listed.is_empty() { unknown_defaults } else { unknown };
    let selection = if parsed.is_empty() && !listed.is_empty() {
        Selection { kept: Vec::new(), dropped: Vec::new() }
    } else {
        select_cuda(&parsed, &defaults)
    };
    let unknown = unknown.into_iter().map(|target| Dropped {
        target,
        reason: format!("clang {} does not know it", clang.unwrap_or_default()),
    });
    let defaults = defaults.as_slice();
    let place = |target: &Capability| {
        let same = |entry: &&Located<String>| {
            entry
                .value
                .parse::<Capability>()
                .is_ok_and(|entry| (entry.base(), entry.feature) == (target.base(), target.feature))
        };
        listed.iter().find(same).map(|entry| text.span(entry.bytes.clone()))
    };
    let mut findings = Vec::new();
    for dropped in unknown.chain(selection.dropped) {
        let message = format!("`{}` is not built for {}", set.section(), dropped.target);
        let mut finding = Finding::note(&code::build::ARCHITECTURE_LEFT_OUT, message).cause(dropped.reason);
        finding.span = place(&dropped.target);
        findings.push(finding);
    }
    if selection.kept.is_empty() {
        findings.push(nothing_left(set, toolkit, &parsed, defaults));
    }
    Architectures { kept: selection.kept, findings }
}

fn listed<'a>(set: &SourceSet<'a>) -> &'a [Located<String>] {
    match set.target {
        Some(Target::Cuda { capabilities: Some(listed), .. }) => listed,
        _ => &[],
    }
}

fn nothing_left(
    set: &SourceSet,
    toolkit: &Version,
    listed: &[Capability],
    defaults: &[Capability],
) -> Finding {
    let message = format!("`{}` is left with no architecture for CUDA {toolkit}", set.section());
    let wanted = listed.iter().max().map(|capability| capability.base());
    let below = defaults.iter().map(|target| target.base()).filter(|target| Some(*target) <= wanted).max();
    let nearest = below.or_else(|| defaults.iter().map(|target| target.base()).min());
    let names: Vec<String> = defaults.iter().map(|target| target.base().to_string()).collect();
    let finding = Finding::error(&code::build::NO_ARCHITECTURE, message)
        .cause(format!("CUDA {toolkit} builds {}", names.join(", ")));
    match nearest {
        Some(nearest) => finding.help(format!(
            "list {nearest}, the nearest that CUDA {toolkit} builds; or keep such variants out with `minver` in \
             `[general.cuda]` or `cuda-minver` of the component"
        )),
        None => finding,
    }
}

/// Whether nvcc of this toolkit has a flag that only newer ones have; an older one does by itself what it turns off.
pub(super) fn knows(toolkit: &Version, flag: &str) -> bool {
    !flag.trim_start_matches('-').starts_with("static-global-template-stub")
        || toolkit.reaches(&Version::major_minor(12, 8))
}

/// One pair of options for each architecture: machine code, and PTX where it is asked for.
pub(super) fn code_generation(architectures: &[Capability]) -> Vec<Flag> {
    let mut flags = Vec::new();
    for capability in architectures {
        let digits = capability.digits();
        flags.push(Flag::Plain(format!("-gencode=arch=compute_{digits},code=sm_{digits}")));
        if capability.ptx {
            flags.push(Flag::Plain(format!("-gencode=arch=compute_{digits},code=compute_{digits}")));
        }
    }
    flags
}

/// Without these nvcc would write its process's number and the absolute path of the source into the object: the first
/// names intermediate files after the object, the second is what it hashes for names of internal linkage.
pub(super) fn reproducible(section: &str, source: &str) -> Vec<Flag> {
    let path = format!("{section}/{source}");
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-/".contains(c) { c } else { '_' };
    vec![
        Flag::plain("-objtemp"),
        Flag::plain("-Xcudafe=--orig_src_path_name"),
        Flag::Plain(format!("-Xcudafe={}", path.chars().map(plain).collect::<String>())),
    ]
}
