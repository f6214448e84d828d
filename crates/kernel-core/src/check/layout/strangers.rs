//! What no kernel needs in a variant: it runs, hides or is mistaken for something elsewhere, or was left behind.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

use camino::Utf8Path;
use kernel_spec::path::{join, parent};
use kernel_spec::{Finding, Severity, code};
use unicode_normalization::UnicodeNormalization as _;

use super::Check;
use crate::tree::{Entry, Kind};

/// Modules that a kernel's own code imports from elsewhere.
const IMPORTED: &[&str] = &["kernels", "numpy", "torch", "triton", "tvm_ffi"];

/// What systems that do not tell case and composition of letters apart make of a path.
fn spelling(path: &str) -> String {
    // By way of capital letters, so that both forms of a small letter are one.
    path.nfc().collect::<String>().to_uppercase().to_lowercase().nfc().collect()
}

/// Why Windows cannot have a file of this name (Microsoft, "Naming Files, Paths, and Namespaces").
fn refused_by_windows(name: &str) -> Option<&'static str> {
    const DEVICES: &[&str] = &["AUX", "CON", "NUL", "PRN"];
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_uppercase();
    let is_port =
        |kind: &str| stem.strip_prefix(kind).is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']));
    if DEVICES.contains(&stem.as_str()) || is_port("COM") || is_port("LPT") {
        return Some("it is that of a device there, with whatever ending");
    }
    if name.contains(['<', '>', ':', '"', '|', '?', '*']) {
        return Some("it holds one of `<>:\"|?*`");
    }
    name.ends_with(['.', ' ']).then_some("it ends with a dot or a space")
}

impl Check<'_> {
    pub(super) fn strangers(&mut self, directory: &Utf8Path, entries: &[Entry]) {
        let mut spellings: BTreeMap<String, &str> = BTreeMap::new();
        let mut extensions: Vec<&str> = Vec::new();
        let mut hidden: Option<String> = None;
        for entry in entries {
            let path = entry.path.as_str();
            let name = path.rsplit('/').next().unwrap_or(path);
            if let Some(other) = spellings.insert(spelling(path), path) {
                let is_case = path.to_lowercase() == other.to_lowercase();
                let what = if is_case { "case" } else { "how their letters are written" };
                let message = format!("`{path}` and `{other}` differ in {what} alone");
                self.stranger(Severity::Error, message, "some systems keep only one of the two", path);
            }
            if let Some(why) = refused_by_windows(name) {
                let message = format!("`{path}` has a name that Windows does not take");
                let finding = Finding::warning(&code::artifact::LAYOUT, message).cause(why);
                self.say(finding.help("rename it and build again"), path);
            }
            if hidden.as_ref().is_some_and(|above| path.starts_with(above)) {
                continue;
            }
            if name.starts_with('.') {
                hidden = Some(format!("{path}/"));
                let (severity, cause) = match name {
                    ".git" => {
                        (Severity::Error, "it makes a repository of the variant, and holds what others run")
                    }
                    _ => (Severity::Warning, "nobody sees it who looks at the files"),
                };
                self.stranger(severity, format!("`{path}` is hidden"), cause, path);
            }
            if entry.kind == Kind::File {
                self.file(directory, path, name);
            }
            let ending = Utf8Path::new(name).extension();
            let module = name.strip_suffix(".py").unwrap_or(name);
            let is_module = entry.kind == Kind::File && ending == Some("py") || entry.kind == Kind::Directory;
            if !path.contains('/') && is_module && IMPORTED.contains(&module) {
                let message =
                    format!("`{path}` hides the real `{module}` where the variant is in Python's path");
                self.stranger(Severity::Warning, message, "an import of it there finds this instead", path);
            }
            let is_extension = [".abi3.so", ".pyd"].iter().any(|ending| name.ends_with(ending))
                || ending == Some("so") && name.contains(".cpython-");
            if entry.kind == Kind::File && is_extension {
                extensions.push(path);
            }
        }
        // One that hides a source is told of already.
        let has_source = |path: &&str| {
            let stem =
                path.rsplit_once('/').map_or(*path, |(_, name)| name).split('.').next().unwrap_or_default();
            let source = join(parent(path), &format!("{stem}.py"));
            entries.iter().any(|entry| entry.path == source)
        };
        extensions.retain(|path| !has_source(path));
        if let [first, second, ..] = extensions[..] {
            let message = format!("`{second}` is a second extension module beside `{first}`");
            self.stranger(
                Severity::Warning,
                message,
                "the loader imports the one that is named after the id",
                second,
            );
        }
    }

    fn file(&mut self, directory: &Utf8Path, path: &str, name: &str) {
        let ends = |ending: &str| name.to_ascii_lowercase().ends_with(ending);
        if ends(".pth") {
            let message =
                format!("`{path}` is run by Python at its start, where it lies among the installed packages");
            self.stranger(Severity::Error, message, "a kernel is imported, not installed", path);
        }
        if [".a", ".o", ".lo", ".la"].iter().any(|ending| ends(ending)) {
            let message = format!("`{path}` is the input of a linker");
            self.stranger(Severity::Warning, message, "no loader takes it", path);
        }
        // What cannot be read is told with the digest.
        let mode = fs_err::symlink_metadata(directory.join(path)).map(|it| it.permissions().mode());
        if mode.is_ok_and(|mode| mode & 0o6000 != 0) {
            let message = format!("`{path}` runs with the rights of its owner or group (setuid, setgid)");
            self.stranger(
                Severity::Error,
                message,
                "a kernel's files are read, and not run as programs",
                path,
            );
        }
    }

    fn stranger(&mut self, severity: Severity, message: String, cause: &str, path: &str) {
        let finding = match severity {
            Severity::Error => Finding::error(&code::artifact::LAYOUT, message),
            Severity::Warning | Severity::Note => Finding::warning(&code::artifact::LAYOUT, message),
        };
        self.say(finding.cause(cause).help("remove it and build again"), path);
    }
}
