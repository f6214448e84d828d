//! What ROCm adds to a plan: for which architectures a component is compiled, and what torch's hipify makes of sources of
//! CUDA.

use std::collections::BTreeSet;

use kernel_spec::capability::{GfxTarget, select_rocm};
use kernel_spec::identifier::hexadecimal;
use kernel_spec::manifest::types::Target;
use kernel_spec::path::normalised;
use kernel_spec::plan::{CompileStep, Flag, HipifyStep, Language};
use kernel_spec::{Finding, Located, SourceText, Version, code};

use sha2::{Digest, Sha256};

use super::Contents;
use super::components::{SourceSet, distinct};
use super::language::{FileKind, kind};

/// Where hipified files lie, relative to the variant's build directory.
pub(crate) const HIPIFIED: &str = "hipified";

/// The architectures of one component, and what it is not compiled for.
pub(super) fn architectures(
    set: &SourceSet,
    toolkit: &Version,
    supported: &[GfxTarget],
    text: &SourceText,
) -> (Vec<GfxTarget>, Vec<Finding>) {
    let listed: &[Located<String>] = match set.target {
        Some(Target::Rocm { architectures: Some(listed), .. }) => listed,
        _ => &[],
    };
    let parsed: Vec<GfxTarget> = listed.iter().filter_map(|entry| entry.value.parse().ok()).collect();
    let selection = select_rocm(&parsed, supported);
    let mut findings = Vec::new();
    for dropped in selection.dropped {
        let message = format!("`{}` is not built for {}", set.section(), dropped.target);
        let mut finding = Finding::note(&code::build::ARCHITECTURE_LEFT_OUT, message).cause(dropped.reason);
        let place = listed.iter().find(|entry| entry.value == dropped.target.to_string());
        finding.span = place.map(|entry| text.span(entry.bytes.clone()));
        findings.push(finding);
    }
    if selection.kept.is_empty() {
        let names: Vec<String> = supported.iter().map(ToString::to_string).collect();
        let names = names.join(", ");
        let message = format!("`{}` is left with no architecture for ROCm {toolkit}", set.section());
        findings.push(
            Finding::error(&code::build::NO_ARCHITECTURE, message)
                .cause(format!("for ROCm {toolkit} these are built: {names}"))
                .help("list one of them in `rocm-archs`, or leave the key out for all"),
        );
    }
    (selection.kept, findings)
}

/// One option for each architecture, and where HIP and its device libraries are.
pub(super) fn code_generation(architectures: &[GfxTarget]) -> Vec<Flag> {
    let mut flags = vec![
        Flag::in_build("--rocm-path=", "tc/hip"),
        Flag::in_build("--rocm-device-lib-path=", "tc/hip-libraries"),
    ];
    flags.extend(architectures.iter().map(|target| Flag::Plain(format!("--offload-arch={target}"))));
    flags
}

/// The translation of every source of CUDA among the steps. Headers are looked for as the compiler does.
pub(super) fn hipify(steps: &[CompileStep], sets: &[SourceSet], project: &Contents) -> Option<HipifyStep> {
    let translated = steps.iter().filter(|step| step.translated.is_some());
    let sources: BTreeSet<&str> = translated.map(|step| step.source.as_str()).collect();
    if sources.is_empty() {
        return None;
    }
    let packaged: BTreeSet<&str> = project.package.iter().map(|file| file.source.as_str()).collect();
    let inputs = project.inputs.iter().map(|input| input.path.as_str());
    let inputs: BTreeSet<&str> = inputs.filter(|path| !packaged.contains(path)).collect();
    // The copies are outputs as well as what they are translated to, so that Ninja knows every file that may be included.
    let outputs = inputs.iter().flat_map(|path| [format!("{HIPIFIED}/{path}"), hipified(path)]);
    let outputs: BTreeSet<String> = outputs.collect();
    let of_cuda = |set: &&SourceSet| {
        distinct(set).iter().any(|(path, _)| kind(path) == FileKind::Source(Language::Cuda))
    };
    let include: BTreeSet<String> = sets
        .iter()
        .filter(of_cuda)
        .flat_map(|set| set.include)
        .map(|directory| match normalised(&directory.value) {
            root if root.is_empty() => ".".to_owned(),
            directory => directory,
        })
        .collect();
    Some(HipifyStep {
        inputs: inputs.into_iter().map(str::to_owned).collect(),
        sources: sources.into_iter().map(str::to_owned).collect(),
        outputs: outputs.into_iter().collect(),
        include: include.into_iter().collect(),
    })
}

/// A name of the unit that clang would otherwise make of the absolute path of the source.
pub(super) fn unit(section: &str, source: &str) -> Flag {
    let digest = Sha256::digest(format!("{section}/{source}"));
    Flag::Plain(format!("-cuid={}", &hexadecimal(&digest)[..16]))
}

/// Where a file and its translation lie, by hipify's own rule for extensions (`get_hip_file_path`).
pub(crate) fn hipified(path: &str) -> String {
    let (directory, name) = path.rsplit_once('/').map_or(("", path), |(directory, name)| (directory, name));
    let (root, ending) = match name.rfind('.').filter(|at| name[..*at].contains(|c| c != '.')) {
        Some(at) => name.split_at(at),
        None => (name, ""),
    };
    let renamed = |text: &str| text.replace("cuda", "hip").replace("CUDA", "HIP").replace("THC", "THH");
    let (new_directory, new_root) = (renamed(directory), renamed(root));
    let new_ending = if ending == ".cu" { ".hip" } else { ending };
    let is_same = (new_directory.as_str(), new_root.as_str(), new_ending) == (directory, root, ending);
    let mark = if is_same { "_hip" } else { "" };
    let slash = if directory.is_empty() { "" } else { "/" };
    format!("{HIPIFIED}/{new_directory}{slash}{new_root}{mark}{new_ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_hipify_are_predicted() {
        for (source, made) in [
            ("k.cu", "k.hip"),
            ("cuda/k.cu", "hip/k.hip"),
            ("a/cuda_kernels/CUDAThing_cuda.cu", "a/hip_kernels/HIPThing_hip.hip"),
            ("THCx/THCy.cu", "THHx/THHy.hip"),
            ("a/k.cuh", "a/k_hip.cuh"),
            ("cuda/k.cuh", "hip/k.cuh"),
            ("a/cuda_k.h", "a/hip_k.h"),
            ("k.tar.h", "k.tar_hip.h"),
            ("a/.hidden", "a/.hidden_hip"),
            ("LICENSE", "LICENSE_hip"),
        ] {
            assert_eq!(hipified(source), format!("hipified/{made}"));
        }
    }
}
