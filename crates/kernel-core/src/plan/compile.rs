//! The compile steps: every source of every component with every flag it gets, in order. Later flags win, so a
//! component's own come after ours; it cannot change another component's.

use std::collections::BTreeSet;

use kernel_spec::capability::{Capability, GfxTarget};
use kernel_spec::path::normalised;
use kernel_spec::plan::{CompileStep, Flag, Language, Weight};
use kernel_spec::variant::FrameworkAbi;
use kernel_spec::{Backend, Finding, Located, SourceText, Version, code};

use super::allowed;
use super::components::{SourceSet, distinct};
use super::cuda;
use super::cuda_clang;
use super::dependencies;
use super::flags::Base;
use super::language::{self, FileKind};
use super::objects::object;
use super::{darwin, rocm, xpu};

/// What the steps need to know besides the components.
pub struct Circumstances<'a> {
    /// Flags of the variant.
    pub base: Base<'a>,
    /// The manifest's text, for pointing at elements of it.
    pub text: &'a SourceText,
    /// Flags the owner of the machine allows in addition.
    pub allowed: &'a BTreeSet<String>,
    /// The id, and which sources must be told it while they are preprocessed.
    pub id: &'a str,
    /// Sources that must be told the id.
    pub told: &'a BTreeSet<String>,
}

/// What one component contributes.
#[derive(Default)]
pub struct Compiled {
    /// Its steps, in order.
    pub steps: Vec<CompileStep>,
    /// The CUDA architectures that its code is for.
    pub capabilities: Vec<Capability>,
    /// The same of ROCm.
    pub targets: Vec<GfxTarget>,
    /// What is wrong with it, or left out.
    pub findings: Vec<Finding>,
}

/// What a step gets besides what every source of the variant gets.
struct Own {
    section: String,
    /// Flags for sources that hold code of a GPU: the component's, and its architectures.
    device: Vec<Flag>,
}

/// The steps of one component.
pub fn component(set: &SourceSet, circumstances: &Circumstances) -> Compiled {
    let mut findings = allowed::judge(set.cxx_flags, circumstances.allowed, circumstances.text);
    findings.extend(set.include.iter().filter_map(|include| refused_include(include, circumstances.text)));
    let mut own = Own { section: set.section(), device: Vec::new() };
    let (mut capabilities, mut targets) = (Vec::new(), Vec::new());
    match (circumstances.base.variant.compute.backend(), circumstances.base.toolkit()) {
        (Backend::Cuda, Some(toolkit)) if has(set, &[Language::Cuda]) => {
            let (flags, kept, found) = cuda_component(set, &toolkit, circumstances);
            (own.device, capabilities) = (flags, kept);
            findings.extend(found);
        }
        (Backend::Rocm, Some(toolkit)) if has(set, &[Language::Cuda, Language::Hip]) => {
            let supported = circumstances.base.matrix.rocm_targets(&toolkit);
            let (kept, found) = rocm::architectures(set, &toolkit, supported, circumstances.text);
            own.device = device_flags(set, circumstances, &mut findings);
            own.device.extend(rocm::code_generation(&kept));
            targets = kept;
            findings.extend(found);
        }
        (Backend::Xpu, _) if set.target.is_some() => {
            own.device = xpu::compile().collect();
            own.device.extend(device_flags(set, circumstances, &mut findings));
        }
        _ => {}
    }
    let mut steps = Vec::new();
    for (path, written) in distinct(set) {
        match language::kind(&path) {
            FileKind::Header => {}
            FileKind::Unknown => {
                findings.push(unknown(&path).at(circumstances.text.span(written.bytes.clone())));
            }
            FileKind::Source(language) if compiles(language, circumstances) => {
                let backend = circumstances.base.variant.compute.backend();
                if language == Language::Cuda && backend == Backend::Cuda {
                    findings.extend(unquotable(&path, written, circumstances.text));
                }
                steps.push(step(&path, as_compiled(language, backend, set), &own, set, circumstances));
            }
            FileKind::Source(language) => {
                findings.push(not_compiled(&path, written, language, circumstances));
            }
        }
    }
    Compiled { steps, capabilities, targets, findings }
}

/// Whether any source is of one of these languages.
fn has(set: &SourceSet, languages: &[Language]) -> bool {
    let kinds = set.sources.iter().map(|source| language::kind(&source.value));
    kinds.into_iter().any(|kind| matches!(kind, FileKind::Source(one) if languages.contains(&one)))
}

/// The component's own flags for code of its GPU. Their compilers are Clangs, and take what C++ does.
fn device_flags(set: &SourceSet, circumstances: &Circumstances, findings: &mut Vec<Finding>) -> Vec<Flag> {
    let listed = set.device_flags();
    findings.extend(allowed::judge(listed, circumstances.allowed, circumstances.text));
    listed.iter().map(|flag| Flag::Plain(flag.value.clone())).collect()
}

/// Flags for the component's sources of CUDA, what they are compiled for, and what is wrong.
fn cuda_component(
    set: &SourceSet,
    toolkit: &Version,
    circumstances: &Circumstances,
) -> (Vec<Flag>, Vec<Capability>, Vec<Finding>) {
    let Circumstances { base, text, allowed, .. } = circumstances;
    let listed = set.cuda_flags();
    let mut findings = allowed::nvcc::judge(listed, allowed, text);
    findings.extend(set.include.iter().filter_map(|include| unquotable(&include.value, include, text)));
    let capabilities = base.matrix.cuda_capabilities(toolkit);
    let chosen = cuda::architectures(set, (toolkit, base.cuda_clang), capabilities, text);
    let mut flags: Vec<Flag>;
    if base.cuda_clang.is_some() {
        let (translated, left_out) = cuda_clang::translate(listed, text);
        flags = cuda_clang::without_lines();
        flags.extend(translated);
        findings.extend(left_out);
        flags.extend(cuda_clang::code_generation(&chosen.kept));
    } else {
        let known = listed.iter().filter(|flag| cuda::knows(toolkit, &flag.value));
        flags = known.map(|flag| Flag::Plain(flag.value.clone())).collect();
        flags.extend(cuda::code_generation(&chosen.kept));
    }
    findings.extend(chosen.findings);
    (flags, chosen.kept, findings)
}

/// nvcc quotes paths for a shell, but not everything in them.
fn unquotable(path: &str, written: &Located<String>, text: &SourceText) -> Option<Finding> {
    let reason = allowed::nvcc::quotable(path).err()?;
    let message = format!("`{}` cannot be handed to nvcc", path.escape_debug());
    let finding = Finding::error(&code::build::UNWRITABLE, message).cause(reason);
    Some(finding.at(text.span(written.bytes.clone())).help("rename it"))
}

/// What a source is compiled as, and whether it is translated before.
fn as_compiled(language: Language, backend: Backend, set: &SourceSet) -> (Language, bool) {
    match (language, backend) {
        (Language::Cuda, Backend::Rocm) => (Language::Hip, true),
        (Language::Cxx, Backend::Xpu) if set.target.is_some() => (Language::Sycl, false),
        _ => (language, false),
    }
}

fn step(
    path: &str,
    (language, is_translated): (Language, bool),
    own: &Own,
    set: &SourceSet,
    circumstances: &Circumstances,
) -> CompileStep {
    let section = own.section.as_str();
    let base = &circumstances.base;
    if language == Language::Metal {
        return shader(path, section, set, base);
    }
    let mut flags = base.before(language);
    if circumstances.told.contains(path) {
        let macro_name = base.extension_macro();
        flags.push(Flag::Plain(format!("-D{macro_name}={}", circumstances.id)));
    }
    if matches!(language, Language::Cxx | Language::Sycl | Language::ObjectiveCxx) {
        flags.extend(set.cxx_flags.iter().map(|flag| Flag::Plain(flag.value.clone())));
    }
    if matches!(language, Language::Cuda | Language::Hip | Language::Sycl) {
        flags.extend(own.device.iter().cloned());
    }
    match language {
        Language::Cuda if base.cuda_clang.is_none() => flags.extend(cuda::reproducible(section, path)),
        Language::Cuda | Language::Hip => flags.push(rocm::unit(section, path)),
        _ => {}
    }
    if is_translated {
        let hipified = |include: &Located<String>| match normalised(&include.value) {
            root if root.is_empty() => Flag::in_build("-I", rocm::HIPIFIED),
            directory => Flag::in_build("-I", format!("{}/{directory}", rocm::HIPIFIED)),
        };
        flags.extend(set.include.iter().map(hipified));
    } else {
        flags.extend(includes(set));
    }
    flags.extend(dependencies::includes(set.depends).map(|path| Flag::in_build("-isystem ", path)));
    flags.extend(base.after());
    CompileStep {
        source: path.to_owned(),
        object: object(section, path),
        component: own.section.clone(),
        translated: is_translated.then(|| rocm::hipified(path)),
        language,
        weight: weight(language, base),
        flags,
    }
}

/// Shaders have a compiler of their own, which knows nothing of the host.
fn shader(path: &str, section: &str, set: &SourceSet, base: &Base) -> CompileStep {
    let mut flags = darwin::shader(base.variant);
    flags.extend(includes(set));
    let object = object(section, path);
    CompileStep {
        source: path.to_owned(),
        object: format!("{}.air", object.strip_suffix(".o").unwrap_or(&object)),
        component: section.to_owned(),
        translated: None,
        language: Language::Metal,
        weight: Weight::Light,
        flags,
    }
}

/// The component's include directories.
fn includes(set: &SourceSet) -> impl Iterator<Item = Flag> {
    set.include.iter().map(|include| match normalised(&include.value) {
        root if root.is_empty() => Flag::plain("-I."),
        directory => Flag::Plain(format!("-I{directory}")),
    })
}

/// All of torch's headers take more than a gigabyte; the stable ABI and TVM-FFI less than 200 MB (measured).
fn weight(language: Language, base: &Base) -> Weight {
    match base.variant.framework {
        FrameworkAbi::Torch { .. } if language != Language::C => Weight::Heavy,
        _ => Weight::Light,
    }
}

fn compiles(language: Language, circumstances: &Circumstances) -> bool {
    language::compiles(circumstances.base.variant.compute.backend(), language)
}

fn refused_include(include: &Located<String>, text: &SourceText) -> Option<Finding> {
    let reason = allowed::confined(&include.value).err()?;
    let message = format!("include directory `{}` is not inside the project", include.value.escape_debug());
    Some(
        Finding::error(&code::build::FLAG, message)
            .cause(reason)
            .at(text.span(include.bytes.clone()))
            .help("copy the headers into the project and name their directory relative to it"),
    )
}

fn unknown(path: &str) -> Finding {
    Finding::note(
        &code::build::SOURCE,
        format!("`{path}` is not compiled: its ending belongs to no known language"),
    )
    .help("nothing needs doing if sources include it; rename it if it should be compiled")
}

fn not_compiled(
    path: &str,
    written: &Located<String>,
    language: Language,
    circumstances: &Circumstances,
) -> Finding {
    let backend = circumstances.base.variant.compute.backend();
    Finding::error(
        &code::build::SOURCE,
        format!(
            "`{path}` is {}, which the {} backend does not compile",
            language.title(),
            backend.row().title
        ),
    )
    .at(circumstances.text.span(written.bytes.clone()))
}
