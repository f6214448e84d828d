//! `inspect`: what is in a library, or in every library of a directory.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_abi::image::{Format, GpuKind, Image, Object};
use kernel_abi::policy::libraries::Origin;
use kernel_abi::policy::torch::Introduced;
use kernel_abi::policy::{Manylinux, python, torch};
use kernel_spec::code::abi;
use kernel_spec::report::{
    GpuPayload, InspectReport, InspectedLibrary, ProvenanceNote, PythonAbi, SectionSize,
};
use kernel_spec::variant::Variant;
use kernel_spec::{Finding, Version};

use crate::check::{built, library};
use crate::{Context, Result, artifacts, published, tree};

/// Reads the library at `path`, or every one below it, or every one of a published kernel.
pub fn inspect(context: &Context, path: &Utf8Path) -> Result<InspectReport> {
    let root = published::directory(context, path)?;
    let mut report = InspectReport { libraries: Vec::new(), findings: Vec::new() };
    if library::is_missing(&root) {
        report.findings.push(library::missing(path));
        return Ok(report);
    }
    for (shown, place) in files(path, &root)? {
        match library::read(&place) {
            Err(error) => report.findings.push(error.finding(&shown)),
            Ok(image) => {
                let size = fs_err::metadata(&place)?.len();
                report.libraries.extend(
                    image.objects.iter().map(|object| describe(&shown, &place, (size, &image), object)),
                );
            }
        }
    }
    if report.libraries.is_empty() && report.findings.is_empty() {
        let message = format!("`{path}` holds no library");
        let help = "give a library, a built variant, or a directory that holds some; `kernel-builder build` makes them";
        report.findings.push(Finding::error(&abi::NOTHING, message).help(help));
    }
    Ok(report)
}

/// The files to read, as shown and where they are. A file that was named is read whatever it is.
fn files(path: &Utf8Path, root: &Utf8Path) -> Result<Vec<(String, Utf8PathBuf)>> {
    if !root.is_dir() {
        return Ok(vec![(path.to_string(), root.to_owned())]);
    }
    // What builds keep for themselves is hidden, and no answer to anybody's question.
    let entries = tree::walk(root, &|name| name != "__pycache__" && !name.starts_with('.'))?;
    let files =
        entries.into_iter().filter(|entry| matches!(entry.kind, tree::Kind::File | tree::Kind::LinkToFile));
    let files = files.map(|entry| (entry.path.clone(), root.join(entry.path)));
    Ok(files.filter(|(_, place)| library::is_library(place)).collect())
}

fn describe(
    shown: &str,
    place: &Utf8Path,
    (size, image): (u64, &Image),
    object: &Object,
) -> InspectedLibrary {
    let directory = place.parent().and_then(Utf8Path::file_name).unwrap_or_default();
    let policy = built::policy(directory, image, &built::Overrides::default());
    let is_variant = directory.parse::<Variant>().is_ok();
    let foreign = |library: &str| policy.origin(library) != Origin::NotProvided;
    let elf = image.format == Format::Elf;
    let mut exports: Vec<String> = object
        .symbols()
        .filter(kernel_abi::image::Symbol::is_exported)
        .map(|symbol| symbol.name.into_owned())
        .collect();
    exports.sort();
    let mut sections: Vec<SectionSize> = object.sections.iter().map(section).collect();
    sections.sort_by(|one, other| other.size.cmp(&one.size).then_with(|| one.name.cmp(&other.name)));
    InspectedLibrary {
        file: shown.to_owned(),
        variant: is_variant.then(|| directory.to_owned()),
        format: match image.format {
            Format::Elf => "elf",
            Format::MachO => "mach-o",
            Format::Pe => "pe",
        }
        .to_owned(),
        architecture: object.machine.to_string(),
        size,
        name: object.name.clone(),
        build_id: object.build_id.clone(),
        provenance: object.provenance.first().map(|note| ProvenanceNote {
            commit: note.commit.clone(),
            dirty: note.dirty,
            tool: note.tool.clone(),
        }),
        needed: object.needed.clone(),
        search_paths: object.search_paths.iter().map(|entry| entry.path.clone()).collect(),
        symbol_floors: floors(object),
        promised: (elf && is_variant).then(|| promised(place, &policy)).flatten(),
        manylinux: elf.then(|| Manylinux::floor(object, foreign)).flatten().map(|floor| floor.to_string()),
        minimum_macos: object.minimum_macos.as_ref().map(Version::to_string),
        python: python_abi(object),
        torch_stable_abi: torch_abi(object),
        gpu: gpu(object),
        exports,
        sections,
    }
}

/// The oldest systems that the variant of a library was built for: what the build wrote down, or what every variant is for.
fn promised(place: &Utf8Path, policy: &kernel_abi::Policy) -> Option<String> {
    let metadata = artifacts::metadata(place.parent()?).ok();
    let built = metadata.and_then(|metadata| metadata.build).and_then(|build| build.policy);
    built.or_else(|| policy.manylinux.map(|manylinux| manylinux.to_string()))
}

fn section(section: &kernel_abi::image::Section) -> SectionSize {
    SectionSize { name: section.name.clone(), size: section.size }
}

/// For each library the newest version of each prefix; versions without numbers stand for themselves.
fn floors(object: &Object) -> BTreeMap<String, Vec<String>> {
    let mut newest: BTreeMap<(String, String), (Option<Version>, String)> = BTreeMap::new();
    for need in &object.version_needs {
        let (prefix, number) = need.name.rsplit_once('_').unwrap_or((&need.name, ""));
        let number = number.parse::<Version>().ok();
        // Odd nodes get a key of their own.
        let prefix = if number.is_some() { prefix } else { &need.name };
        let key = (need.library.clone().unwrap_or_default(), prefix.to_owned());
        let candidate = (number, need.name.clone());
        let entry = newest.entry(key).or_insert_with(|| candidate.clone());
        if candidate.0 > entry.0 {
            *entry = candidate;
        }
    }
    let mut floors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ((library, _), (_, name)) in newest {
        floors.entry(library).or_default().push(name);
    }
    floors
}

fn python_abi(object: &Object) -> Option<PythonAbi> {
    let mut minimum: Option<Version> = None;
    let mut unlimited = Vec::new();
    for symbol in object.undefined().filter(|symbol| python::is_python(&symbol.name)) {
        match python::added(&symbol.name) {
            Some(added) => minimum = minimum.max(Some(added.clone())),
            None => unlimited.push(symbol.name.into_owned()),
        }
    }
    unlimited.sort();
    let minimum = minimum.map_or_else(|| "3.2".to_owned(), |minimum| minimum.to_string());
    let uses = object.undefined().any(|symbol| python::is_python(&symbol.name));
    uses.then_some(PythonAbi { minimum, unlimited })
}

/// `None` where it uses no function of the stable ABI, or the C++ interface too.
fn torch_abi(object: &Object) -> Option<String> {
    let mut oldest: Option<String> = None;
    let mut newest: Option<Version> = None;
    for symbol in object.undefined().filter(|symbol| symbol.version.is_none()) {
        match torch::introduced(&symbol.name) {
            Some(Introduced::Always) => oldest = Some("base".to_owned()),
            Some(Introduced::Since(since)) => newest = newest.max(Some(since.clone())),
            None if torch::is_cxx(&symbol.name) => return None,
            None => {}
        }
    }
    newest.map(|version| version.to_string()).or(oldest)
}

fn gpu(object: &Object) -> Vec<GpuPayload> {
    let mut payloads: BTreeMap<(GpuKind, &str), (u64, u64)> = BTreeMap::new();
    for code in &object.gpu {
        let entry = payloads.entry((code.kind, &code.architecture)).or_default();
        entry.0 += 1;
        entry.1 += code.size;
    }
    let name = |kind| match kind {
        GpuKind::Cubin => "cubin",
        GpuKind::Ptx => "ptx",
        GpuKind::Unknown => "unknown",
        GpuKind::Hip => "hip",
        GpuKind::Sycl => "sycl",
    };
    let payload = |((kind, architecture), (images, size)): ((GpuKind, &str), (u64, u64))| GpuPayload {
        kind: name(kind).to_owned(),
        architecture: architecture.to_owned(),
        images,
        size,
    };
    payloads.into_iter().map(payload).collect()
}
