//! Whether a built variant is what it says: its name, its metadata, its files and its digest agree, and nothing is in it
//! that the loader would not expect.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use kernel_abi::{Image, Policy, entry_point};
use kernel_spec::dependency::python_dependency;
use kernel_spec::finding::Subject;
use kernel_spec::identifier::belongs_to;
use kernel_spec::metadata::Metadata;
use kernel_spec::path::{join, parent};
use kernel_spec::variant::{ArchVariant, FrameworkAbi};
use kernel_spec::{Code, Finding, Variant, code};

use crate::artifacts;
use crate::check::built::BuiltVariant;
use crate::check::bytecode::{self, Found};
use crate::check::library;
use crate::digest::{self, DigestError, METADATA};
use crate::python_source::{Generated, PythonSource, generated};
use crate::regular;
use crate::tree::{self, Kind};

/// What is wrong with a variant, the function by which it is loaded included; for whoever does not judge its libraries.
pub fn check_alone(variant: &BuiltVariant) -> Vec<Finding> {
    let mut findings = check(variant);
    if let Some(entry) = Entry::of(variant) {
        // What cannot be read is told with the digest.
        let image = library::read(&variant.directory.join(&entry.file)).ok();
        findings.extend(image.and_then(|image| entry.check(&variant.name, &image)));
    }
    findings
}

/// What is wrong with a variant, but for what is inside its libraries. Files that cannot be read are findings too.
pub fn check(variant: &BuiltVariant) -> Vec<Finding> {
    let (name, directory) = (variant.name.as_str(), variant.directory.as_path());
    let mut check = Check { name, findings: Vec::new() };
    let leaves = check.tree(directory);
    match artifacts::metadata(directory) {
        Ok(metadata) => {
            check.names(directory, &metadata);
            // What is outside of a variant is not read, and is no part of it anyway.
            if !leaves {
                check.digest(directory, &metadata);
            }
        }
        Err(findings) => findings.into_iter().for_each(|finding| check.say(finding, METADATA)),
    }
    check.findings
}

/// The library by which a variant is loaded.
pub struct Entry {
    /// Its name in the variant.
    pub file: String,
    id: String,
    arch: ArchVariant,
}

impl Entry {
    /// Nothing where name or metadata do not say which library that is, or where it is missing.
    pub fn of(variant: &BuiltVariant) -> Option<Self> {
        let arch = *variant.name.parse::<Variant>().ok()?.arch()?;
        let id = artifacts::metadata(&variant.directory).ok()?.id;
        let file = entry_files(&id, &arch).find(|file| is_file_in(&variant.directory, file))?;
        Some(Self { file, id, arch })
    }

    /// Whether it has the function that the loader asks for.
    pub fn check(&self, variant: &str, image: &Image) -> Option<Finding> {
        let finding = entry_point(&self.id, image, &Policy::for_variant(&self.arch))?;
        let subject = Subject {
            variant: Some(variant.to_owned()),
            file: Some(self.file.clone()),
            ..Subject::default()
        };
        Some(finding.about(subject))
    }
}

/// The names that the library may have: the loader imports `<id>`.
fn entry_files(id: &str, arch: &ArchVariant) -> impl Iterator<Item = String> {
    let endings: &[&str] = match arch.framework {
        FrameworkAbi::TvmFfi(_) => &[".so", ".dylib", ".dll"],
        _ => &[".abi3.so", ".pyd"],
    };
    endings.iter().map(move |ending| format!("{id}{ending}"))
}

/// Whether the library by which a variant is loaded is there, and the generated module, where there is one, is of this
/// build; nothing where the metadata do not say which that is.
pub fn entry(variant: &BuiltVariant) -> Vec<Finding> {
    let mut check = Check { name: &variant.name, findings: Vec::new() };
    let (name, metadata) = (variant.name.parse::<Variant>(), artifacts::metadata(&variant.directory));
    if let (Ok(name), Ok(metadata)) = (&name, metadata) {
        if let Some(arch) = name.arch() {
            check.library(&variant.directory, &metadata.id, arch);
        }
        check.operators(&variant.directory, &metadata.name.python_name(), &metadata.id, false);
    }
    check.findings
}

/// What keeps the metadata of a variant from being read, where there are any; for whoever compares no files with them.
pub fn metadata(variant: &BuiltVariant) -> Vec<Finding> {
    let mut check = Check { name: &variant.name, findings: Vec::new() };
    let is_there = fs_err::symlink_metadata(variant.directory.join(METADATA)).is_ok();
    let unread = artifacts::metadata(&variant.directory).err().filter(|_| is_there);
    unread.into_iter().flatten().for_each(|finding| check.say(finding, METADATA));
    check.findings
}

/// What is in a variant that no digest vouches for, whatever the metadata say: links, byte code, odd files.
pub fn entries(variant: &BuiltVariant) -> Vec<Finding> {
    let mut check = Check { name: &variant.name, findings: Vec::new() };
    check.tree(&variant.directory);
    check.findings
}

struct Check<'a> {
    name: &'a str,
    findings: Vec<Finding>,
}

impl Check<'_> {
    fn say(&mut self, finding: Finding, file: &str) {
        let subject = Subject {
            variant: Some(self.name.to_owned()),
            file: Some(file.to_owned()).filter(|file| !file.is_empty()),
            ..Subject::default()
        };
        self.findings.push(finding.about(subject));
    }

    fn error(&mut self, code: &'static Code, message: String, file: &str) {
        self.say(Finding::error(code, message), file);
    }

    /// Entries that do not belong into any variant; whether a link leaves it.
    fn tree(&mut self, directory: &Utf8Path) -> bool {
        if directory.is_symlink() {
            self.error(
                &code::artifact::LAYOUT,
                format!("`{}` is a link to another directory", self.name),
                "",
            );
        }
        let walked =
            tree::walk(directory, &|_| true).and_then(|entries| Ok((entries, bytecode::find(directory)?)));
        let (entries, bytecode) = match walked {
            Ok(walked) => walked,
            Err(error) => {
                self.error(&code::artifact::UNREADABLE, format!("`{}`: {error}", self.name), "");
                return false;
            }
        };
        self.strangers(directory, &entries);
        let mut leaves = false;
        let paths: BTreeSet<String> = entries.iter().map(|entry| entry.path.clone()).collect();
        for entry in entries {
            let path = entry.path.as_str();
            if path.contains(char::is_control) || path.contains('\\') {
                let message = format!("`{}` has a name that no repository may hold", path.escape_debug());
                self.error(&code::artifact::LAYOUT, message, path);
            }
            match entry.kind {
                Kind::File | Kind::Directory => {}
                Kind::Dangling => {
                    self.error(&code::artifact::LAYOUT, format!("`{path}` is a link to nothing"), path);
                }
                Kind::Special => {
                    self.error(&code::artifact::LAYOUT, format!("`{path}` is no regular file"), path);
                }
                Kind::LinkToFile | Kind::LinkToDirectory => {
                    let inside = tree::stays_in(directory, &directory.join(path));
                    leaves |= !inside;
                    let what = if inside { "a link" } else { "a link that leaves the variant" };
                    self.error(&code::artifact::LAYOUT, format!("`{path}` is {what}"), path);
                }
            }
        }
        self.shadows(&paths);
        self.bytecode(&bytecode);
        leaves
    }

    /// Of several modules of one name, Python takes a package before a library, and that before a source.
    fn shadows(&mut self, paths: &BTreeSet<String>) {
        let is_library =
            |path: &str| [".so", ".pyd"].iter().any(|ending| path.to_ascii_lowercase().ends_with(ending));
        let mut packages = BTreeMap::new();
        let mut libraries = BTreeMap::new();
        for path in paths {
            let directory = parent(path);
            let name = path.rsplit('/').next().unwrap_or(path);
            let Some((stem, _)) = name.split_once('.') else { continue };
            let is_source = Utf8Path::new(name).extension() == Some("py");
            if stem == "__init__" && (is_source || is_library(name)) {
                packages.insert(directory, path);
            }
            if is_library(name) {
                libraries.insert(join(directory, stem), path);
            }
        }
        for path in paths {
            let stem = match path.strip_suffix(".py") {
                Some(stem) => stem.to_owned(),
                None if is_library(path) => {
                    let name = path.rsplit('/').next().unwrap_or(path);
                    join(parent(path), name.split('.').next().unwrap_or(name))
                }
                None => continue,
            };
            let package = packages.get(stem.as_str()).copied();
            let library = libraries.get(&stem).copied().filter(|library| *library != path);
            if let Some(first) = package.or(library) {
                let message = format!("`{first}` hides `{path}`: Python imports it instead");
                let finding = Finding::error(&code::artifact::LAYOUT, message);
                // Whoever looks at libraries alone is told, too.
                let about = if is_library(path) { path } else { first };
                self.say(finding.help("keep one of the two"), about);
            }
        }
    }

    /// What runs in place of a source must be made of it.
    fn bytecode(&mut self, found: &Found) {
        const HELP: &str = "remove it; Python makes its own";
        for (path, reason) in &found.wrong {
            let finding = Finding::error(
                &code::artifact::BYTECODE,
                format!("`{path}` is byte code that nothing vouches for"),
            );
            self.say(finding.cause(reason.clone()).help(HELP), path);
        }
        let message = match found.fitting.as_slice() {
            [] => return,
            [path] => format!("`{path}` is byte code, which Python runs in place of its source"),
            [first, others @ ..] => format!(
                "`{first}` and {} more are byte code, which Python runs in place of the sources",
                others.len()
            ),
        };
        let finding = Finding::warning(&code::artifact::BYTECODE, message).help(HELP);
        self.say(finding, &found.fitting[0]);
    }

    /// Directory, metadata and library must speak of the same thing.
    fn names(&mut self, directory: &Utf8Path, metadata: &Metadata) {
        let python_name = metadata.name.python_name();
        let backend = metadata.backend.backend;
        let id = &metadata.id;
        if !belongs_to(id, &python_name, backend) {
            let message = format!("id `{id}` is not that of kernel `{}` for {backend}", metadata.name);
            self.error(&code::artifact::METADATA, message, METADATA);
        }
        if let Some(build) = metadata.build.as_ref().filter(|build| build.variant != self.name) {
            let message = format!("`{}` was built as `{}`", self.name, build.variant);
            self.error(&code::artifact::NAME, message, "");
        }
        for name in &metadata.python_depends {
            let known = [None, Some(backend)];
            if known.iter().all(|scope| python_dependency(*scope, name).is_none()) {
                let message =
                    format!("the metadata ask for the Python package `{name}`, which loaders do not know");
                let finding = Finding::warning(&code::artifact::METADATA, message);
                self.say(
                    finding.cause("a loader refuses the kernel, or loads it without that package"),
                    METADATA,
                );
            }
        }
        if !directory.join("__init__.py").is_file()
            && !directory.join(&python_name).join("__init__.py").is_file()
        {
            self.error(&code::artifact::LAYOUT, "there is no `__init__.py`".to_owned(), "__init__.py");
        }
        match self.name.parse::<Variant>() {
            Ok(variant) => {
                if let Some(other) = variant.backend().filter(|other| *other != backend) {
                    let message = format!("`{}` is for {other}, its metadata say {backend}", self.name);
                    self.error(&code::artifact::NAME, message, METADATA);
                }
                if let Some(arch) = variant.arch() {
                    self.library(directory, id, arch);
                }
                // A variant of Python alone that others made may do without; a build of ours writes one.
                let is_needed = variant.arch().is_some() || metadata.build.is_some();
                self.operators(directory, &python_name, id, is_needed);
            }
            Err(error) => {
                let message = format!("`{}` is no name of a variant, so no loader finds it", self.name);
                let finding = Finding::error(&code::artifact::NAME, message).cause(error.to_string());
                self.say(finding, "");
            }
        }
    }

    /// The library is named after the id, or the loader's import of `<id>` fails.
    fn library(&mut self, directory: &Utf8Path, id: &str, arch: &ArchVariant) {
        if !entry_files(id, arch).any(|file| is_file_in(directory, &file)) {
            let expected = entry_files(id, arch).next().unwrap_or_default();
            self.error(&code::artifact::LAYOUT, format!("the library `{expected}` is missing"), &expected);
        }
    }

    /// The generated module is there where it is needed, and is of this build.
    fn operators(&mut self, directory: &Utf8Path, python_name: &str, id: &str, is_needed: bool) {
        const FILE: &str = "_ops.py";
        /// Most of a generated module that is read, in bytes: ten times the longest.
        const LARGEST: u64 = 32 << 10;
        let paths = [FILE.to_owned(), format!("{python_name}/{FILE}")];
        let Some(path) = paths.into_iter().find(|path| is_file_in(directory, path)) else {
            if is_needed {
                self.error(&code::artifact::LAYOUT, format!("there is no `{FILE}`"), FILE);
            }
            return;
        };
        // What cannot be read is told with the digest.
        let Ok(text) = regular::start(&directory.join(&path), LARGEST + 1) else { return };
        if text.len() as u64 > LARGEST {
            let message = format!("`{path}` has more than {LARGEST} bytes, ten times what a build writes");
            return self.error(&code::artifact::LAYOUT, message, &path);
        }
        // What is no Python is told with the sources.
        let Ok(source) = PythonSource::parse(&path, &text) else { return };
        let is_id = |word: &str| word == id || word.starts_with(&format!("_{python_name}_"));
        let Generated { builds, names } = generated(source, python_name, &is_id);
        if !builds.contains(id) {
            let finding = Finding::error(&code::artifact::LAYOUT, format!("`{path}` does not name `{id}`"));
            self.say(finding.cause("it is of another build, and so are the operators it asks for"), &path);
        }
        for other in builds.iter().filter(|other| *other != id && builds.contains(id)) {
            let message = format!("`{path}` names `{other}` beside `{id}`");
            let finding = Finding::error(&code::artifact::LAYOUT, message);
            self.say(finding.cause("it asks for operators of another build"), &path);
        }
        let right = format!("{id}::f");
        // What names another build is told of already.
        let is_told = |name: &str| {
            name.split_once("::").is_some_and(|(before, _)| before != id && builds.contains(before))
        };
        if let Some(wrong) = names.iter().find(|name| **name != right && !is_told(name)) {
            let message = format!("`{path}` makes the operator `{wrong}` of the name `f`, and not `{right}`");
            let finding = Finding::error(&code::artifact::LAYOUT, message);
            self.say(
                finding.cause("so what the kernel registers in Python is not under its own namespace"),
                &path,
            );
        }
    }

    fn digest(&mut self, directory: &Utf8Path, metadata: &Metadata) {
        let Some(expected) = &metadata.digest else {
            let message = format!("the metadata of `{}` have no digest", self.name);
            return self.say(Finding::warning(&code::artifact::DIGEST, message), METADATA);
        };
        match digest::by(directory, expected.algorithm) {
            Ok(actual) => self.compare(&expected.files, &actual),
            // The walk has told of them already.
            Err(DigestError::NoContent { .. } | DigestError::Tree(_)) => {}
            Err(error @ DigestError::Read(_)) => {
                let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                let finding = Finding::error(&code::artifact::UNREADABLE, error.to_string()).cause(cause);
                self.say(finding, "");
            }
        }
    }

    fn compare(&mut self, expected: &BTreeMap<String, String>, actual: &BTreeMap<String, String>) {
        for (path, digest) in expected {
            match actual.get(path) {
                None => self.error(&code::artifact::DIGEST, format!("`{path}` is missing"), path),
                Some(other) if other != digest => {
                    self.error(&code::artifact::DIGEST, format!("`{path}` is not what was sealed"), path);
                }
                Some(_) => {}
            }
        }
        for path in actual.keys().filter(|path| !expected.contains_key(*path)) {
            self.error(&code::artifact::DIGEST, format!("`{path}` was added after sealing"), path);
        }
    }
}

mod strangers;

/// Whether a variant itself holds a file.
fn is_file_in(directory: &Utf8Path, path: &str) -> bool {
    let place = directory.join(path);
    place.is_file() && tree::stays_in(directory, &place)
}

#[cfg(test)]
mod tests;
