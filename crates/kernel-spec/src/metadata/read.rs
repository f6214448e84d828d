//! Reading `metadata.json` as strictly as the loader does, and telling every fault at once.

use serde_json::{Map, Value};

use super::{
    BackendRecord, BuildRecord, DigestAlgorithm, DigestRecord, GitState, LoaderVersion, Metadata, OUR_KEY,
    PUBLICATION_KEY, Provenance, PublicationRecord, ToolRecord, strict_json,
};
use crate::manifest::{KernelDependency, KernelReference};
use crate::{Backend, Finding, code, git_url};

type Object = Map<String, Value>;

impl Metadata {
    /// Reads a `metadata.json`. Every fault is a finding.
    pub fn from_json(text: &[u8]) -> Result<Self, Vec<Finding>> {
        let value = strict_json(text)
            .map_err(|error| vec![fault("it is not valid JSON".to_owned()).cause(error.to_string())])?;
        let Value::Object(object) = value else {
            return Err(vec![fault("it is not an object".to_owned())]);
        };
        let mut reader = Reader { findings: Vec::new() };
        let metadata = reader.metadata(object);
        match metadata {
            Some(metadata) if reader.findings.is_empty() => Ok(metadata),
            _ => Err(reader.findings),
        }
    }
}

fn fault(message: String) -> Finding {
    Finding::error(&code::artifact::METADATA, format!("`metadata.json` cannot be used: {message}"))
}

struct Reader {
    findings: Vec<Finding>,
}

impl Reader {
    /// Every field is read before the first absent one ends it, so that all faults are found.
    fn metadata(&mut self, mut object: Object) -> Option<Metadata> {
        let name = self.text(&mut object, "name");
        let name = name.and_then(|name| self.parsed("name", name.parse()));
        let id = self.text(&mut object, "id");
        let version = self.required(&mut object, "version", "a whole number", Value::as_u64);
        let license = self.text(&mut object, "license");
        let upstream = self.address(&mut object, "upstream");
        let source = self.address(&mut object, "source");
        let python_depends = self.required(&mut object, "python-depends", "a list of names", texts);
        let kernel_depends = self.dependencies(&mut object);
        let kernels_minver =
            self.optional(&mut object, "kernels-minver", "three numbers as `0.17.0`", |value| {
                value.as_str().and_then(loader_version)
            });
        let backend = self.required(&mut object, "backend", "an object", object_of);
        let backend = backend.and_then(|backend| self.backend(backend));
        let digest = self.optional(&mut object, "digest", "an object", object_of);
        let digest = digest.and_then(|digest| self.digest(digest));
        let provenance = self.optional(&mut object, "provenance", "an object", object_of);
        let provenance = provenance.and_then(|provenance| self.provenance(provenance));
        let build: Option<BuildRecord> = self.ours(&mut object, OUR_KEY);
        let publication: Option<PublicationRecord> = self.ours(&mut object, PUBLICATION_KEY);
        Some(Metadata {
            name: name?,
            id: id?,
            version: version?,
            license: license?,
            upstream,
            source,
            python_depends: python_depends?,
            kernel_depends,
            kernels_minver,
            backend: backend?,
            digest,
            provenance,
            build,
            publication,
            others: object,
        })
    }

    fn backend(&mut self, mut object: Object) -> Option<BackendRecord> {
        let backend = self.text(&mut object, "backend.type");
        let backend = backend.and_then(|name| self.parsed("backend.type", name.parse::<Backend>()));
        let archs = self.optional(&mut object, "backend.archs", "a list of names", texts);
        Some(BackendRecord { backend: backend?, archs, others: object })
    }

    fn digest(&mut self, mut object: Object) -> Option<DigestRecord> {
        let algorithm = self.required(&mut object, "digest.algorithm", "`sha256` or `sha512`", |value| {
            match value.as_str()? {
                "sha256" => Some(DigestAlgorithm::Sha256),
                "sha512" => Some(DigestAlgorithm::Sha512),
                _ => None,
            }
        });
        let files = self.required(&mut object, "digest.files", "texts by path", |value| {
            let entries = value.as_object()?.iter();
            entries.map(|(path, digest)| Some((path.clone(), digest.as_str()?.to_owned()))).collect()
        });
        Some(DigestRecord { algorithm: algorithm?, files: files?, others: object })
    }

    fn provenance(&mut self, mut object: Object) -> Option<Provenance> {
        let tool = self.required(&mut object, "provenance.kernel-builder", "an object", object_of);
        let tool = tool.and_then(|mut tool| {
            let version = self.text(&mut tool, "provenance.kernel-builder.version");
            let git = self.git_state(&mut tool, "provenance.kernel-builder");
            Some(ToolRecord { version: version?, git, others: tool })
        });
        let kernel = self.optional(&mut object, "provenance.kernel", "an object", object_of);
        let kernel = kernel.and_then(|mut kernel| {
            let state = self.git_state(&mut kernel, "provenance.kernel");
            if state.is_none() && self.findings.is_empty() {
                self.complain("provenance.kernel", "has neither `commit` nor `dirty`");
            }
            state
        });
        Some(Provenance { kernel_builder: tool?, kernel, others: object })
    }

    /// Commit and dirty flag: both or neither, and neither of them null.
    fn git_state(&mut self, object: &mut Object, path: &str) -> Option<GitState> {
        // The peer's tools once wrote `sha`.
        if let Some(value) = object.remove("sha") {
            if object.contains_key("commit") {
                self.complain(path, "has both `commit` and `sha`, which mean the same");
                return None;
            }
            object.insert("commit".to_owned(), value);
        }
        let has = |key| object.contains_key(key);
        if has("commit") != has("dirty") {
            self.complain(path, "has one of `commit` and `dirty` without the other");
        }
        if !has("commit") && !has("dirty") {
            return None;
        }
        let commit = object.remove("commit").and_then(|commit| {
            self.value(&commit, &format!("{path}.commit"), "40 or 64 hexadecimal digits", |value| {
                value.as_str().and_then(object_id)
            })
        });
        let dirty = object
            .remove("dirty")
            .and_then(|dirty| self.value(&dirty, &format!("{path}.dirty"), "true or false", Value::as_bool));
        Some(GitState { commit: commit?, dirty: dirty? })
    }

    fn dependencies(&mut self, object: &mut Object) -> Vec<KernelDependency> {
        let Some(value) = object.remove("kernel-depends") else { return Vec::new() };
        let read = value.as_array().and_then(|entries| entries.iter().map(dependency).collect());
        if read.is_none() {
            let expected = "is not a list of `repo-id` with either `version` or `revision`";
            self.complain("kernel-depends", expected);
        }
        read.unwrap_or_default()
    }

    /// What we add under a key of our own.
    fn ours<T: serde::de::DeserializeOwned>(&mut self, object: &mut Object, key: &str) -> Option<T> {
        match serde_json::from_value(object.remove(key)?) {
            Ok(record) => Some(record),
            Err(error) => {
                self.findings.push(fault(format!("`{key}` is wrong")).cause(error.to_string()));
                None
            }
        }
    }

    fn text(&mut self, object: &mut Object, path: &str) -> Option<String> {
        self.required(object, path, "a text", |value| value.as_str().map(str::to_owned))
    }

    /// The address of a Git repository.
    fn address(&mut self, object: &mut Object, path: &str) -> Option<String> {
        let text = self.optional(object, path, "a text", |value| value.as_str().map(str::to_owned))?;
        self.parsed(path, git_url::check(&text))?;
        Some(text)
    }

    fn required<T>(
        &mut self,
        object: &mut Object,
        path: &str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Option<T> {
        let key = path.rsplit('.').next().unwrap_or(path);
        let Some(value) = object.remove(key) else {
            self.complain(path, "is missing");
            return None;
        };
        self.value(&value, path, expected, read)
    }

    /// A key that may be absent or null.
    fn optional<T>(
        &mut self,
        object: &mut Object,
        path: &str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Option<T> {
        let key = path.rsplit('.').next().unwrap_or(path);
        match object.remove(key) {
            None | Some(Value::Null) => None,
            Some(value) => self.value(&value, path, expected, read),
        }
    }

    fn value<T>(
        &mut self,
        value: &Value,
        path: &str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Option<T> {
        let result = read(value);
        if result.is_none() {
            self.complain(path, &format!("is not {expected}"));
        }
        result
    }

    fn parsed<T, E: std::error::Error>(&mut self, path: &str, result: Result<T, E>) -> Option<T> {
        result
            .map_err(|error| self.findings.push(fault(format!("`{path}` is wrong")).cause(error.to_string())))
            .ok()
    }

    fn complain(&mut self, path: &str, what: &str) {
        self.findings.push(fault(format!("`{path}` {what}")));
    }
}

fn object_of(value: &Value) -> Option<Object> {
    value.as_object().cloned()
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|entry| entry.as_str().map(str::to_owned)).collect()
}

fn dependency(value: &Value) -> Option<KernelDependency> {
    let object = value.as_object().filter(|object| object.len() == 2)?;
    let repo_id = object.get("repo-id")?.as_str()?.to_owned();
    let reference = match (object.get("version"), object.get("revision")) {
        (Some(version), None) => KernelReference::Version(version.as_u64()?),
        (None, Some(revision)) => KernelReference::Revision(revision.as_str()?.to_owned()),
        _ => return None,
    };
    Some(KernelDependency { repo_id, reference })
}

fn object_id(text: &str) -> Option<String> {
    let valid = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    valid.then(|| text.to_ascii_lowercase())
}

fn loader_version(text: &str) -> Option<LoaderVersion> {
    let version: crate::Version = text.parse().ok()?;
    match version.components() {
        &[major, minor, patch] => Some(LoaderVersion(major, minor, patch)),
        _ => None,
    }
}
