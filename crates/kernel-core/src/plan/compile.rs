//! The compile steps: every source of every component with every flag it gets, in order. Later flags win, so a
//! component's own come after ours; it cannot change another component's.

use std::collections::BTreeSet;

use kernel_spec::path::normalised;
use kernel_spec::plan::{CompileStep, Flag, Language, Weight};
use kernel_spec::variant::FrameworkAbi;
use kernel_spec::{Finding, Located, SourceText, code};

use super::allowed;
use super::components::{SourceSet, distinct};
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

/// The steps of one component, and what is wrong with it.
pub fn steps(set: &SourceSet, circumstances: &Circumstances) -> (Vec<CompileStep>, Vec<Finding>) {
    let mut findings = allowed::judge(set.cxx_flags, circumstances.allowed, circumstances.text);
    findings.extend(set.include.iter().filter_map(|include| refused_include(include, circumstances.text)));
    let section = set.section();
    let mut steps = Vec::new();
    for (path, written) in distinct(set) {
        match language::kind(&path) {
            FileKind::Header => {}
            FileKind::Unknown => {
                findings.push(unknown(&path).at(circumstances.text.span(written.bytes.clone())));
            }
            FileKind::Source(language) if compiles(language, circumstances) => {
                steps.push(step(&path, language, &section, set, circumstances));
            }
            FileKind::Source(language) => {
                findings.push(not_compiled(&path, written, language, circumstances));
            }
        }
    }
    (steps, findings)
}

fn step(
    path: &str,
    language: Language,
    section: &str,
    set: &SourceSet,
    circumstances: &Circumstances,
) -> CompileStep {
    let base = &circumstances.base;
    let mut flags = base.before(language);
    if circumstances.told.contains(path) {
        let macro_name = base.extension_macro();
        flags.push(Flag::Plain(format!("-D{macro_name}={}", circumstances.id)));
    }
    if language == Language::Cxx {
        flags.extend(set.cxx_flags.iter().map(|flag| Flag::Plain(flag.value.clone())));
    }
    flags.extend(set.include.iter().map(|include| match normalised(&include.value) {
        root if root.is_empty() => Flag::plain("-I."),
        directory => Flag::Plain(format!("-I{directory}")),
    }));
    flags.extend(base.after());
    CompileStep {
        source: path.to_owned(),
        object: object(section, path),
        component: section.to_owned(),
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
