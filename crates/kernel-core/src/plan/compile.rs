//! The compile steps: every source of every component with every flag it gets, in order. Later flags win, so a
//! component's own come after ours; it cannot change another component's.

use std::collections::BTreeSet;

use kernel_spec::capability::Capability;
use kernel_spec::path::normalised;
use kernel_spec::plan::{CompileStep, Flag, Language, Weight};
use kernel_spec::variant::FrameworkAbi;
use kernel_spec::{Finding, Located, SourceText, Version, code};

use super::allowed;
use super::components::{SourceSet, distinct};
use super::cuda;
use super::dependencies;
use super::flags::Base;
use super::language::{self, FileKind};
use super::objects::object;

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
    pub architectures: Vec<Capability>,
    /// What is wrong with it, or left out.
    pub findings: Vec<Finding>,
}

/// What a step gets besides what every source of the variant gets.
struct Own {
    section: String,
    /// Flags for sources of CUDA: the component's, then its architectures.
    cuda: Vec<Flag>,
}

/// The steps of one component.
pub fn component(set: &SourceSet, circumstances: &Circumstances) -> Compiled {
    let mut findings = allowed::judge(set.cxx_flags, circumstances.allowed, circumstances.text);
    findings.extend(set.include.iter().filter_map(|include| refused_include(include, circumstances.text)));
    let mut own = Own { section: set.section(), cuda: Vec::new() };
    let mut architectures = Vec::new();
    if has_cuda(set)
        && let Some(toolkit) = circumstances.base.cuda()
    {
        let (flags, kept, found) = cuda_component(set, &toolkit, circumstances);
        (own.cuda, architectures) = (flags, kept);
        findings.extend(found);
    }
    let mut steps = Vec::new();
    for (path, written) in distinct(set) {
        match language::kind(&path) {
            FileKind::Header => {}
            FileKind::Unknown => {
                findings.push(unknown(&path).at(circumstances.text.span(written.bytes.clone())));
            }
            FileKind::Source(language) if compiles(language, circumstances) => {
                if language == Language::Cuda {
                    findings.extend(unquotable(&path, written, circumstances.text));
                }
                steps.push(step(&path, language, &own, set, circumstances));
            }
            FileKind::Source(language) => {
                findings.push(not_compiled(&path, written, language, circumstances));
            }
        }
    }
    Compiled { steps, architectures, findings }
}

fn has_cuda(set: &SourceSet) -> bool {
    set.sources.iter().any(|source| language::kind(&source.value) == FileKind::Source(Language::Cuda))
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
    let known = listed.iter().filter(|flag| cuda::knows(toolkit, &flag.value));
    let mut flags: Vec<Flag> = known.map(|flag| Flag::Plain(flag.value.clone())).collect();
    let chosen = cuda::architectures(set, toolkit, base.matrix.cuda_capabilities(toolkit), text);
    flags.extend(cuda::code_generation(&chosen.kept));
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

fn step(
    path: &str,
    language: Language,
    own: &Own,
    set: &SourceSet,
    circumstances: &Circumstances,
) -> CompileStep {
    let section = own.section.as_str();
    let base = &circumstances.base;
    let mut flags = base.before(language);
    if circumstances.told.contains(path) {
        let macro_name = base.extension_macro();
        flags.push(Flag::Plain(format!("-D{macro_name}={}", circumstances.id)));
    }
    if language == Language::Cxx {
        flags.extend(set.cxx_flags.iter().map(|flag| Flag::Plain(flag.value.clone())));
    }
    if language == Language::Cuda {
        flags.extend(own.cuda.iter().cloned());
        flags.extend(cuda::reproducible(section, path));
    }
    flags.extend(set.include.iter().map(|include| match normalised(&include.value) {
        root if root.is_empty() => Flag::plain("-I."),
        directory => Flag::Plain(format!("-I{directory}")),
    }));
    flags.extend(dependencies::includes(set.depends).map(|path| Flag::in_build("-isystem ", path)));
    flags.extend(base.after());
    CompileStep {
        source: path.to_owned(),
        object: object(section, path),
        component: own.section.clone(),
        language,
        weight: weight(language, base),
        flags,
    }
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
