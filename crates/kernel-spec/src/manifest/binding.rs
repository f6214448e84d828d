//! Reading the framework section.

use std::collections::BTreeMap;

use toml::de::DeValue;

use super::lists::{extensions, includes, sources};
use super::reader::{Reader, Section};
use super::types::{Binding, CompiledBinding, NoarchBinding, StableAbi, TorchBinding, TvmFfiBinding};
use super::{Edition, keys};
use crate::framework::FRAMEWORKS;
use crate::suggest::listed;
use crate::{Backend, Framework, Located, code, suggest};

/// Reads the one framework section. A file without any is never guessed to be noarch.
pub(super) fn read(reader: &mut Reader<'_>, root: &Section<'_>) -> Option<Binding> {
    let given: Vec<Framework> = FRAMEWORKS
        .iter()
        .map(|row| row.framework)
        .filter(|framework| root.get(framework.section()).is_some())
        .collect();
    let bindings: Vec<Binding> =
        given.iter().filter_map(|framework| read_one(reader, root, *framework)).collect();
    match given.as_slice() {
        [] => absent(reader, root),
        [_] => bindings.into_iter().next(),
        [first, others @ ..] => {
            for other in others {
                let place = |framework: &Framework| {
                    root.table.get_key_value(framework.section()).map(|(key, _)| key.span())
                };
                let message = format!("`[{other}]` stands beside `[{first}]`");
                let first = reader.span(&place(first).unwrap_or_default());
                let mut finding =
                    reader.error(&code::manifest::FRAMEWORK, &place(other).unwrap_or_default(), message);
                finding.help("a kernel binds to one framework: keep one of the sections");
                finding.also(first, "the first framework section");
            }
            None
        }
    }
}

fn read_one(reader: &mut Reader<'_>, root: &Section<'_>, framework: Framework) -> Option<Binding> {
    let known = match framework {
        Framework::Torch => keys::TORCH,
        Framework::TorchNoarch => keys::TORCH_NOARCH,
        Framework::TvmFfi => keys::TVM_FFI,
    };
    let section = reader.table(root, framework.section(), known)?;
    Some(match framework {
        Framework::Torch => Binding::Torch(TorchBinding {
            common: compiled(reader, &section),
            minimum: reader.version(&section, "minver"),
            maximum: reader.version(&section, "maxver"),
            stable_abi: stable_abi(reader, &section),
        }),
        Framework::TorchNoarch => Binding::TorchNoarch(NoarchBinding {
            python_extensions: extensions(reader, &section),
            cuda_capabilities: either_spelling(reader, &section, "cuda_capabilities", "cuda-capabilities"),
            rocm_archs: either_spelling(reader, &section, "rocm_archs", "rocm-archs"),
        }),
        Framework::TvmFfi => Binding::TvmFfi(TvmFfiBinding { common: compiled(reader, &section) }),
    })
}

fn compiled(reader: &mut Reader<'_>, section: &Section<'_>) -> CompiledBinding {
    CompiledBinding {
        sources: sources(reader, section),
        include: includes(reader, section),
        python_extensions: extensions(reader, section),
        cxx_flags: reader.texts(section, "cxx-flags").unwrap_or_default(),
    }
}

/// Both spellings are one key.
fn either_spelling(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    snake: &str,
    kebab: &str,
) -> Vec<Located<String>> {
    if let (Some(_), Some((second, _))) = (section.get(snake), section.table.get_key_value(kebab)) {
        let message = format!("`{kebab}` and `{snake}` in {} are one key", section.title());
        reader
            .error(&code::manifest::DUPLICATE, &second.span(), message)
            .help(format!("keep `{snake}`, the spelling that every reader of the format knows"));
    }
    let first = reader.texts(section, snake);
    let second = reader.texts(section, kebab);
    first.or(second).unwrap_or_default()
}

fn stable_abi(reader: &mut Reader<'_>, section: &Section<'_>) -> StableAbi {
    let Some(value) = section.get("stable-abi") else { return StableAbi::None };
    if !matches!(value.get_ref(), DeValue::Table(_)) {
        return reader.version(section, "stable-abi").map_or(StableAbi::None, StableAbi::All);
    }
    let Some(table) = reader.bare_table(section, "stable-abi") else { return StableAbi::None };
    if reader.edition == Edition::Four {
        reader.needs_five(&table.place, "a table of `torch.stable-abi`".to_owned());
    }
    let mut versions = BTreeMap::new();
    for (key, place, _) in table.entries() {
        let name = Located::new(key.to_owned(), place);
        let backend = super::general::backend(reader, &name, Backend::all());
        let version = reader.version(&table, key);
        versions.extend(backend.zip(version).map(|(backend, version)| (backend.value, version)));
    }
    StableAbi::ByBackend(versions)
}

/// No framework section: in edition 3 that meant noarch, in later ones it is a fault, and only the author knows which.
fn absent(reader: &mut Reader<'_>, root: &Section<'_>) -> Option<Binding> {
    if reader.edition == Edition::Three {
        return Some(Binding::TorchNoarch(NoarchBinding::default()));
    }
    let sections: Vec<&str> = FRAMEWORKS.iter().map(|row| row.section).collect();
    let misspelt = root.entries().iter().any(|(key, _, _)| {
        keys::ROOT.iter().all(|known| known.name != *key)
            && suggest::closest(key, sections.iter().copied()).is_some()
    });
    if misspelt || sections.iter().any(|section| reader.lost.may_hold("", section)) {
        return None;
    }
    let tables = listed(
        sections.iter().map(|section| format!("[{section}]")).collect::<Vec<_>>().iter().map(String::as_str),
    );
    let place = root.table.get_key_value("general").map(|(key, _)| key.span()).unwrap_or_default();
    let edition = reader.edition;
    let mut finding =
        reader.error(&code::manifest::FRAMEWORK, &place, format!("no framework section: none of {tables}"));
    if edition == Edition::Four {
        finding.cause("as a file of edition 4 it lacks its framework section");
        finding.cause("as a file of edition 3 it would be a Python-only kernel");
        finding.help(
            "add the section (`[torch-noarch]` for a Python-only kernel); if this is a file of edition 3, \
                        say so with `kernel-builder migrate --from 3`",
        );
    }
    None
}
