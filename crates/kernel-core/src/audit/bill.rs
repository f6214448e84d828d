//! A bill of materials in SPDX 2.3 (JSON): the variants, their files with hashes, and what they are known to depend on or
//! to contain. Where a licence or an origin is not known it says so.

use std::collections::BTreeSet;

use camino::Utf8Path;
use chrono::{DateTime, SecondsFormat};
use kernel_spec::dependency::{BuildPackage, build_dependency};
use kernel_spec::identifier::hexadecimal;
use kernel_spec::manifest::KernelReference;
use kernel_spec::metadata::Metadata;
use serde_json::{Value, json};
use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::check::library;
use crate::reading::{PIECE, pieces};
use crate::tree::{self, Kind};
use crate::{Context, Project, Result};

/// One variant of a bill.
pub struct Part<'a> {
    /// Its directory.
    pub directory: &'a Utf8Path,
    /// Its name.
    pub name: &'a str,
    /// What it says of itself.
    pub metadata: &'a Metadata,
}

/// The bill of variants; `project` knows which headers were compiled in.
pub fn bill(context: &Context, title: &str, parts: &[Part<'_>], project: Option<&Project>) -> Result<Value> {
    let mut bill = Bill::default();
    let mut all = Sha256::new();
    for part in parts {
        bill.variant(part, project, &mut all)?;
    }
    let created = DateTime::from_timestamp(i64::try_from(context.source_date).unwrap_or_default(), 0);
    let created = created.unwrap_or_default().to_rfc3339_opts(SecondsFormat::Secs, true);
    Ok(json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": DOCUMENT,
        "name": title,
        "documentNamespace": format!("{NAMESPACE}{}", hexadecimal(&all.finalize())),
        "creationInfo": { "created": created, "creators": [concat!("Tool: kernel-builder-", env!("CARGO_PKG_VERSION"))] },
        "packages": bill.packages,
        "files": bill.files,
        "relationships": bill.relations,
    }))
}

/// Whether a document is a bill of ours: others make documents of the same form.
pub fn is_bill(document: &Value) -> bool {
    document["documentNamespace"].as_str().is_some_and(|namespace| namespace.starts_with(NAMESPACE))
}

/// Begins the name of each of our documents.
const NAMESPACE: &str = "urn:kernel-builder:";
const DOCUMENT: &str = "SPDXRef-DOCUMENT";

#[derive(Default)]
struct Bill {
    packages: Vec<Value>,
    files: Vec<Value>,
    relations: Vec<Value>,
    /// The ids of packages and the relations that are there.
    known: BTreeSet<String>,
}

impl Bill {
    fn variant(&mut self, part: &Part<'_>, project: Option<&Project>, all: &mut Sha256) -> Result<()> {
        let metadata = part.metadata;
        let license = spdx_expression(&metadata.license);
        let name = format!("{}/{}", metadata.name, part.name);
        let version = metadata.version.to_string();
        let this = self.package(&name, &version, &license, metadata.source.as_deref());
        self.relate(DOCUMENT, "DESCRIBES", &this);
        let mut hashes = Vec::new();
        for entry in tree::walk(part.directory, &|_| true)? {
            if entry.kind == Kind::File {
                let place = part.directory.join(&entry.path);
                let (file, sha1, sha256) = self.file(part.name, &entry.path, &place)?;
                all.update(format!("{}/{}\0{sha256}\0", part.name, entry.path));
                hashes.push(sha1);
                self.relate(&this, "CONTAINS", &file);
                if library::is_library(&place) {
                    self.needed(&file, &place);
                }
            }
        }
        self.analyzed(&this, hashes);
        for package in &metadata.python_depends {
            let package = self.package(package, "", NONE, None);
            self.relate(&this, "DEPENDS_ON", &package);
        }
        for kernel in &metadata.kernel_depends {
            let version = match &kernel.reference {
                KernelReference::Version(version) => version.to_string(),
                KernelReference::Revision(revision) => revision.clone(),
            };
            let kernel = self.package(&kernel.repo_id, &version, NONE, None);
            self.relate(&this, "DEPENDS_ON", &kernel);
        }
        if let Some(toolchain) = metadata.build.as_ref().and_then(|build| build.toolchain.as_ref()) {
            let compiler = self.package(&toolchain.compiler, "", NONE, None);
            self.relate(&compiler, "BUILD_TOOL_OF", &this);
            // Builds take from the compiler's static libraries what old systems lack.
            let runtime =
                self.package(&format!("runtime libraries of {}", toolchain.compiler), "", NONE, None);
            self.relate(&this, "STATIC_LINK", &runtime);
        }
        let components = project.into_iter().flat_map(|project| &project.manifest.components);
        for component in components.filter(|component| component.backend.value == metadata.backend.backend) {
            for token in &component.depends {
                let Some((name, version)) = headers(&token.value) else { continue };
                let headers = self.package(name, version, NONE, None);
                self.relate(&this, "STATIC_LINK", &headers);
            }
        }
        Ok(())
    }

    /// A package whose files are all listed has a code over their hashes (SPDX 2.3, section 7.9).
    fn analyzed(&mut self, id: &str, mut hashes: Vec<String>) {
        hashes.sort();
        let code = hexadecimal(&Sha1::digest(hashes.concat()));
        if let Some(package) = self.packages.iter_mut().find(|package| package["SPDXID"] == id) {
            package["filesAnalyzed"] = true.into();
            package["packageVerificationCode"] = json!({ "packageVerificationCodeValue": code });
            package["licenseInfoFromFiles"] = json!([NONE]);
        }
    }

    /// The libraries that a library asks the system for.
    fn needed(&mut self, file: &str, place: &Utf8Path) {
        let Ok(image) = library::read(place) else { return };
        for needed in image.objects.iter().flat_map(|object| &object.needed) {
            let needed = self.package(needed, "", NONE, None);
            self.relate(file, "DYNAMIC_LINK", &needed);
        }
    }

    /// A package, once; answers its id.
    fn package(&mut self, name: &str, version: &str, license: &str, origin: Option<&str>) -> String {
        let id = id("Package", &[name, version]);
        if self.known.insert(id.clone()) {
            let mut package = json!({
                "SPDXID": id, "name": name, "downloadLocation": origin.unwrap_or(NONE), "filesAnalyzed": false,
                "licenseConcluded": NONE, "licenseDeclared": license, "copyrightText": NONE,
            });
            if !version.is_empty() {
                package["versionInfo"] = version.into();
            }
            self.packages.push(package);
        }
        id
    }

    /// A file; answers its id and its hashes by SHA-1, which SPDX wants, and by SHA-256.
    fn file(
        &mut self,
        variant: &str,
        path: &str,
        place: &Utf8Path,
    ) -> std::io::Result<(String, String, String)> {
        let (mut sha1, mut sha256) = (Sha1::new(), Sha256::new());
        pieces(place, &mut vec![0; PIECE], &mut |piece| {
            sha1.update(piece);
            sha256.update(piece);
            Ok(())
        })?;
        let (sha1, sha256) = (hexadecimal(&sha1.finalize()), hexadecimal(&sha256.finalize()));
        let id = id("File", &[variant, path]);
        self.files.push(json!({
            "SPDXID": id, "fileName": format!("./build/{variant}/{path}"), "licenseConcluded": NONE,
            "licenseInfoInFiles": [NONE], "copyrightText": NONE,
            "checksums": [
                { "algorithm": "SHA1", "checksumValue": sha1 }, { "algorithm": "SHA256", "checksumValue": sha256 },
            ],
        }));
        Ok((id, sha1, sha256))
    }

    fn relate(&mut self, from: &str, kind: &str, to: &str) {
        let relation = json!({ "spdxElementId": from, "relationshipType": kind, "relatedSpdxElement": to });
        if self.known.insert(relation.to_string()) {
            self.relations.push(relation);
        }
    }
}

/// SPDX's word for what is not known.
const NONE: &str = "NOASSERTION";

/// Headers that a token of `depends` compiles in.
fn headers(token: &str) -> Option<(&'static str, &'static str)> {
    let found = build_dependency(token)?;
    let name = match found.package {
        BuildPackage::Torch => return None,
        BuildPackage::Cutlass => "CUTLASS",
        BuildPackage::SyclTla => "SYCL-TLA",
        BuildPackage::MetalCpp => "metal-cpp",
    };
    Some((name, found.version))
}

/// A licence as SPDX writes it, or that it is none of SPDX's.
fn spdx_expression(license: &str) -> String {
    kernel_spec::license::as_spdx(license).unwrap_or_else(|| NONE.to_owned())
}

/// Ids hold letters, digits, `.` and `-`; a hash keeps apart what looks the same without the rest.
fn id(kind: &str, words: &[&str]) -> String {
    let text = words.join("\0");
    let plain: String = text
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '-' })
        .collect();
    let hash = hexadecimal(&Sha256::digest(&text));
    format!("SPDXRef-{kind}-{plain}-{}", &hash[..8])
}
