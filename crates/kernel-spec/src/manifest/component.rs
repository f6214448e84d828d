//! Reading `[kernel.*]`.

use serde_spanned::Spanned;

use super::keys;
use super::lists::{check_capabilities, check_gfx, includes, sources};
use super::reader::{Reader, Section};
use super::types::{Component, Target};
use crate::dependency::{BUILD, build_dependency};
use crate::suggest::{closest, listed};
use crate::{Backend, Located, code};

/// Reads every component in the order of the file.
pub(super) fn read_all(reader: &mut Reader<'_>, root: &Section<'_>) -> Vec<Component> {
    let Some(kernels) = reader.bare_table(root, "kernel") else { return Vec::new() };
    let mut components = Vec::new();
    for (name, place, _) in kernels.entries() {
        check_name(reader, name, &place);
        if let Some(section) = reader.bare_table(&kernels, name) {
            components.extend(read(reader, &section, Located::new(name.to_owned(), place)));
        }
    }
    components
}

/// A component's name becomes part of file names on every system.
fn check_name(reader: &mut Reader<'_>, name: &str, place: &std::ops::Range<usize>) {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let valid = name.chars().all(plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && !name.ends_with('.')
        && name.len() <= 100;
    if !valid {
        let proposal: String = name.chars().map(|c| if plain(c) { c } else { '_' }).take(100).collect();
        let proposal = proposal.trim_start_matches(['.', '-']).trim_end_matches('.');
        let message = format!("`{}` cannot name a component", name.escape_debug());
        let mut finding = reader.error(&code::manifest::COMPONENT_NAME, place, message);
        if !proposal.is_empty() {
            finding.help(format!("use letters, digits, `_`, `-` and `.`, for example `[kernel.{proposal}]`"));
        }
    }
}

fn read(reader: &mut Reader<'_>, section: &Section<'_>, name: Located<String>) -> Option<Component> {
    let compiled = Backend::all().filter(|backend| backend.row().compiles);
    let backend =
        reader.text(section, "backend").and_then(|text| super::general::backend(reader, &text, compiled));
    reader.check_keys(section, keys::component(backend.as_ref().map(|backend| backend.value)));
    let depends = depends(reader, section);
    let sources = sources(reader, section);
    let include = includes(reader, section);
    let cxx_flags = reader.texts(section, "cxx-flags").unwrap_or_default();
    let target = target(reader, section, backend.as_ref()?.value);
    Some(Component { name, backend: backend?, depends, sources, include, cxx_flags, target })
}

fn depends(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<Located<String>> {
    let tokens = reader.texts(section, "depends").unwrap_or_default();
    for token in tokens.iter().filter(|token| build_dependency(token).is_none()) {
        let names: Vec<&str> = BUILD.iter().map(|known| known.token).collect();
        let help = match (token.value.as_str(), closest(token, names.iter().copied())) {
            ("cutlass_sycl", _) => "it is called `sycl_tla` now".to_owned(),
            (_, Some(near)) => format!("did you mean `{near}`? there are {}", listed(names)),
            (_, None) => format!("there are {}", listed(names)),
        };
        let message = format!("`{}` is no build dependency", token.value.escape_debug());
        reader.error(&code::manifest::DEPENDENCY, &token.bytes, message).help(help);
    }
    tokens
}

fn target(reader: &mut Reader<'_>, section: &Section<'_>, backend: Backend) -> Target {
    match backend {
        Backend::Cuda => {
            let capabilities = reader.texts(section, "cuda-capabilities");
            not_empty(reader, section, "cuda-capabilities");
            check_capabilities(reader, capabilities.as_deref().unwrap_or_default());
            let flags = reader.texts(section, "cuda-flags").unwrap_or_default();
            Target::Cuda { capabilities, flags, minimum: reader.version(section, "cuda-minver") }
        }
        Backend::Rocm => {
            let architectures = reader.texts(section, "rocm-archs");
            not_empty(reader, section, "rocm-archs");
            check_gfx(reader, architectures.as_deref().unwrap_or_default());
            Target::Rocm { architectures, flags: reader.texts(section, "hip-flags").unwrap_or_default() }
        }
        Backend::Xpu => Target::Xpu { flags: reader.texts(section, "sycl-flags").unwrap_or_default() },
        Backend::Metal => Target::Metal,
        Backend::Cpu | Backend::Cann | Backend::Neuron | Backend::Tpu => Target::Cpu,
    }
}

/// An empty list of architectures compiles for nothing, which nobody means.
fn not_empty(reader: &mut Reader<'_>, section: &Section<'_>, key: &str) {
    let Some(value) = section.get(key) else { return };
    if value.get_ref().as_array().is_some_and(|elements| elements.is_empty()) {
        let place = Spanned::span(value);
        let message =
            format!("`{}` is empty: the component would be compiled for no GPU", section.dotted(key));
        reader
            .error(&code::manifest::CAPABILITY, &place, message)
            .help(format!("list the architectures, or remove `{key}` for the default list"));
    }
}
