//! The project's files against its manifest: what is listed is there under exactly this name, the package can be
//! imported, and no build that copies only listed files would miss a header.

use std::collections::BTreeSet;

use camino::Utf8Path;
use kernel_spec::finding::{Fix, Subject};
use kernel_spec::manifest::Manifest;
use kernel_spec::suggest::{closest, listed};
use kernel_spec::{Backend, Finding, Located, SourceText, code};

use super::listing::{Found, Listing};
use crate::Result;
use crate::inputs::{self, IncludedBy, Inputs};
use crate::project::MANIFEST;

/// What the check saw.
#[derive(Debug, Default)]
pub struct Sources {
    /// Every file the kernel is made of, for any backend.
    pub files: BTreeSet<String>,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// A table of the manifest that lists sources.
struct Table<'m> {
    title: String,
    sources: &'m [Located<String>],
    include: &'m [Located<String>],
}

/// Checks the files of the project in `directory` against its manifest.
pub fn check(directory: &Utf8Path, source: &SourceText, manifest: &Manifest) -> Result<Sources> {
    let tables = tables(manifest);
    let mut checked = Sources::default();
    let mut listing = Listing::new(directory);
    let mut wrong = BTreeSet::new();
    for table in &tables {
        for file in table.sources {
            if let Some(finding) = listed_source(&mut listing, file) {
                wrong.insert(file.value.clone());
                checked.findings.push(finding.at(source.span(file.bytes.clone())).about(about(&file.value)));
            }
        }
        for include in table.include {
            checked.findings.extend(include_directory(&mut listing, source, include));
        }
    }
    checked.findings.extend(package(&mut listing, source, manifest));
    let mut unlisted = BTreeSet::new();
    for backend in backends(manifest) {
        let inputs = inputs::collect(directory, manifest, backend)?;
        add(&mut checked, &inputs, &wrong, source, &tables);
        for (header, by) in inputs.unlisted().filter(|(header, _)| !is_listed(&tables, header)) {
            if unlisted.insert(header.to_owned()) {
                checked.findings.push(unlisted_header(&tables, header, by));
            }
        }
    }
    Ok(checked)
}

fn tables(manifest: &Manifest) -> Vec<Table<'_>> {
    let binding = manifest.compiled_binding().map(|binding| Table {
        title: format!("[{}]", manifest.framework()),
        sources: &binding.sources,
        include: &binding.include,
    });
    let components = manifest.components.iter().map(|component| Table {
        title: format!("[kernel.{}]", component.name.value),
        sources: &component.sources,
        include: &component.include,
    });
    binding.into_iter().chain(components).collect()
}

/// The backends whose files are checked: those the manifest names anywhere, and one for a kernel that names none.
fn backends(manifest: &Manifest) -> BTreeSet<Backend> {
    let named = manifest.components.iter().map(|component| component.backend.value);
    let named: BTreeSet<Backend> = named.collect();
    // Without components every backend has the same files.
    let first = manifest.general.backends.first().map_or(Backend::Cpu, |backend| backend.value);
    if named.is_empty() { BTreeSet::from([first]) } else { named }
}

fn is_listed(tables: &[Table<'_>], path: &str) -> bool {
    tables.iter().any(|table| table.sources.iter().any(|source| source.value == path))
}

fn about(path: &str) -> Subject {
    Subject { file: Some(path.to_owned()), ..Subject::default() }
}

/// What is wrong with one entry of `src`.
fn listed_source(listing: &mut Listing<'_>, source: &Located<String>) -> Option<Finding> {
    let path = source.value.as_str();
    match listing.find(path) {
        Found::File => None,
        Found::Directory => {
            let finding = Finding::error(&code::inputs::DIRECTORY, format!("source `{path}` is a directory"));
            Some(examples(finding, "list its files one by one", &listing.matching(&format!("{path}/*"))))
        }
        Found::OtherCase(actual) => Some(
            Finding::error(&code::inputs::CASE, format!("source `{path}` is called `{actual}` on disk"))
                .help(format!("write `{actual}`; most systems tell upper from lower case")),
        ),
        Found::Other => Some(Finding::error(
            &code::inputs::MISSING,
            format!("source `{path}` is neither a file nor a link to one"),
        )),
        Found::Nothing if path.contains(['*', '?', '[']) => {
            let message = format!("source `{path}` is a pattern, but `src` takes names of files");
            let finding = Finding::error(&code::inputs::PATTERN, message);
            Some(examples(finding, "list the files one by one", &listing.matching(path)))
        }
        Found::Nothing => Some(missing(listing, path)),
    }
}

fn examples(finding: Finding, advice: &str, files: &[String]) -> Finding {
    if files.is_empty() {
        return finding.help(advice);
    }
    let shown = listed(files.iter().take(5).map(String::as_str));
    let more = if files.len() > 5 { format!(" and {} more", files.len() - 5) } else { String::new() };
    finding.help(format!("{advice}: {shown}{more}"))
}

fn missing(listing: &mut Listing<'_>, path: &str) -> Finding {
    let finding = Finding::error(&code::inputs::MISSING, format!("source `{path}` does not exist"));
    let directory = kernel_spec::path::parent(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    let names = listing.names(directory);
    match closest(name, names.iter().map(String::as_str)) {
        Some(near) => finding.help(format!("did you mean `{}`?", kernel_spec::path::join(directory, near))),
        None => finding,
    }
}

fn include_directory(
    listing: &mut Listing<'_>,
    source: &SourceText,
    include: &Located<String>,
) -> Option<Finding> {
    let path = include.value.as_str();
    if path == "." || listing.find(path) == Found::Directory {
        return None;
    }
    let finding =
        Finding::warning(&code::inputs::INCLUDE, format!("include directory `{path}` does not exist"));
    Some(finding.at(source.span(include.bytes.clone())).about(about(path)))
}

/// The package must be there, for it is what users import.
fn package(listing: &mut Listing<'_>, source: &SourceText, manifest: &Manifest) -> Option<Finding> {
    let directory = manifest.package_directory();
    let path = format!("{directory}/__init__.py");
    let message = match listing.find(&path) {
        Found::File => return None,
        Found::OtherCase(actual) => format!("the Python package is `{actual}` on disk, not `{path}`"),
        _ if listing.find(&directory) == Found::Directory => {
            format!("the Python package `{directory}` has no `__init__.py`")
        }
        // The directory itself is reported with the inputs.
        _ => return None,
    };
    let finding = Finding::error(&code::inputs::PACKAGE, message).about(about(&path));
    Some(finding.at(source.span(manifest.general.name.bytes.clone())))
}

/// Takes over what was found while following the sources; what is listed gets its place in the manifest.
fn add(
    checked: &mut Sources,
    inputs: &Inputs,
    wrong: &BTreeSet<String>,
    source: &SourceText,
    tables: &[Table<'_>],
) {
    checked.files.extend(inputs.files.keys().cloned());
    for finding in &inputs.findings {
        let file = finding.subject.file.as_deref().unwrap_or_default();
        if wrong.contains(file) || checked.findings.contains(finding) {
            continue;
        }
        let place = tables.iter().flat_map(|table| table.sources).find(|listed| listed.value == file);
        let placed = match place {
            Some(place) if finding.span.is_none() => finding.clone().at(source.span(place.bytes.clone())),
            _ => finding.clone(),
        };
        if !checked.findings.contains(&placed) {
            checked.findings.push(placed);
        }
    }
}

fn unlisted_header(tables: &[Table<'_>], header: &str, by: &IncludedBy) -> Finding {
    let finding = Finding::warning(
        &code::inputs::UNLISTED,
        format!("`{}` includes `{header}`, which no `src` lists", by.file),
    )
    .cause("a build that copies only listed files, such as another tool's Nix build, will miss it")
    .at(by.span.clone())
    .about(about(header));
    let lists = |table: &&Table<'_>| table.sources.iter().any(|source| source.value == by.file);
    let Some(table) = tables.iter().find(lists).or_else(|| tables.last()) else { return finding };
    let finding = finding.help(format!("add `\"{header}\"` to `src` of `{}`", table.title));
    let Some(last) = table.sources.last() else { return finding };
    let text = format!(", {}", toml::Value::from(header));
    finding.fixed_by(Fix { file: MANIFEST.to_owned(), bytes: (last.bytes.end, last.bytes.end), text })
}
