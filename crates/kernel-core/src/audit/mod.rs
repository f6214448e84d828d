//! What a built variant could do, seen from outside: the functions its libraries import, the names its Python uses, and
//! what else is in it. Nothing of it is imported or run.

mod bill;
mod table;

pub use bill::{Part, bill};

use std::collections::BTreeSet;

use camino::Utf8Path;
use kernel_abi::image::Format;
use kernel_spec::finding::Subject;
use kernel_spec::{Finding, code};
use sha2::{Digest, Sha256};

use crate::check::built::BuiltVariant;
use crate::check::{layout, library};
use crate::digest::{METADATA, SIGNATURE};
use crate::python_source::PythonSource;
use crate::tree::{self, Kind};
use crate::{Result, regular};

/// Largest Python file that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// The audit of several variants: what they have in common is told of once.
#[derive(Default)]
pub struct Audit {
    /// SHA-256 of the Python files that were read.
    known: BTreeSet<[u8; 32]>,
}

impl Audit {
    /// Everything that is worth knowing of a variant.
    pub fn variant(&mut self, variant: &BuiltVariant) -> Result<Vec<Finding>> {
        let mut findings = layout::check_alone(variant);
        let mut others = Vec::new();
        // A directory that cannot be listed is told of with the layout.
        for entry in tree::walk(&variant.directory, &|_| true).into_iter().flatten() {
            let (place, path) = (variant.directory.join(&entry.path), entry.path);
            if entry.kind != Kind::File
                || tree::is_bytecode(&path)
                || [METADATA, SIGNATURE].contains(&path.as_str())
            {
                continue;
            }
            let about = |finding: Finding| {
                let file = Some(path.clone());
                finding.about(Subject { variant: Some(variant.name.clone()), file, ..Subject::default() })
            };
            if library::is_library(&place) {
                findings.extend(imports(&path, &place).into_iter().map(about));
            } else if matches!(Utf8Path::new(&path).extension(), Some("py" | "pyi")) {
                findings.extend(self.python(&path, &place).into_iter().map(about));
            } else {
                others.push(path);
            }
        }
        if !others.is_empty() {
            let message = format!("`{}` holds files that are neither Python nor libraries", variant.name);
            let about = Subject { variant: Some(variant.name.clone()), ..Subject::default() };
            findings.push(Finding::note(&code::audit::FILES, message).cause(others.join(", ")).about(about));
        }
        Ok(findings)
    }

    fn python(&mut self, path: &str, place: &Utf8Path) -> Vec<Finding> {
        let bytes = match regular::start(place, LARGEST + 1) {
            Ok(bytes) => bytes,
            Err(error) => {
                let finding = Finding::error(&code::artifact::UNREADABLE, format!("could not read `{path}`"));
                return vec![finding.cause(error.to_string())];
            }
        };
        if bytes.len() as u64 > LARGEST {
            let message = format!("`{path}` is larger than {} MiB and was not read", LARGEST >> 20);
            return vec![Finding::warning(&code::audit::FILES, message)];
        }
        if !self.known.insert(Sha256::digest(&bytes).into()) {
            return Vec::new();
        }
        let source = match PythonSource::parse(path, &bytes) {
            Ok(source) => source,
            Err(finding) => return vec![*finding],
        };
        let mut seen = BTreeSet::new();
        let named = source.uses().into_iter().filter_map(|named| {
            let row = table::python(&named.path)?;
            let finding =
                Finding::warning(row.code, format!("`{path}` uses `{}`: {}", named.path, row.meaning));
            seen.insert(named.path).then(|| finding.at(named.span))
        });
        named.collect()
    }
}

/// What a library asks the system, or others, to do.
fn imports(path: &str, place: &Utf8Path) -> Vec<Finding> {
    let image = match library::read(place) {
        Ok(image) => image,
        Err(error) => return vec![error.finding(path)],
    };
    let mut findings = Vec::new();
    for object in &image.objects {
        for symbol in object.undefined() {
            let name = symbol.name.as_ref();
            // Names of C begin with `_` there.
            let name =
                if image.format == Format::MachO { name.strip_prefix('_').unwrap_or(name) } else { name };
            if let Some(row) = table::symbol(name) {
                let message = format!("`{path}` imports `{name}`: {}", row.meaning);
                findings.push(Finding::warning(row.code, message));
            }
        }
        for needed in &object.needed {
            if let Some(row) = table::needed(needed) {
                let message = format!("`{path}` needs `{needed}`: {}", row.meaning);
                findings.push(Finding::warning(row.code, message));
            }
        }
    }
    findings.dedup_by(|one, other| one.message == other.message);
    findings
}
