//! The lock as a file. It comes from a project, so every word of it that goes on to a resolver or into a path is looked at
//! here.

use std::collections::BTreeMap;

use camino::Utf8Path;
use serde::{Deserialize, Serialize};

use super::{LockError, LockedFile, LockedPart, LockedSystem};
use crate::toolchain::store::Part;

/// Version of the form.
const VERSION: u32 = 1;

static HEADER: &str = "# What this kernel is compiled with. Written by `kernel-builder toolchain lock`; keep it under version control.\n\n";

/// All of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    version: u32,
    /// By system: `x86_64-linux`.
    #[serde(default, rename = "system")]
    pub(super) systems: BTreeMap<String, LockedSystem>,
}

impl Default for File {
    fn default() -> Self {
        Self { version: VERSION, systems: BTreeMap::new() }
    }
}

impl File {
    pub(super) fn parse(path: &Utf8Path, text: &str) -> Result<Self, LockError> {
        let wrong = |reason: String| LockError::Wrong { path: path.to_owned(), reason };
        let file: Self = toml::from_str(text).map_err(|error| wrong(error.to_string().trim().to_owned()))?;
        if file.version != VERSION {
            return Err(wrong(format!(
                "it is of version {}, and this program knows {VERSION}",
                file.version
            )));
        }
        let mut parts = file.systems.values().flat_map(|system| &system.parts);
        parts.try_for_each(sound).map_err(wrong)?;
        Ok(file)
    }

    pub(super) fn render(&self) -> String {
        let text = toml::to_string(self).expect("every key is text");
        format!("{HEADER}{text}")
    }
}

/// Whether a part is one that we could have written down.
fn sound(part: &LockedPart) -> Result<(), String> {
    let name = format!("{}-{}", part.name, part.version);
    let known: Part = name.parse().map_err(|error| format!("{error}"))?;
    let wheels = || part.files.iter().map(|file| file.name.as_str());
    if known.to_string() != name || !wheels().eq(known.packages().iter().map(|package| package.name)) {
        return Err(format!("`{name}` is not made of these wheels"));
    }
    if !is_digest(&part.tree) {
        return Err(format!("the tree of `{name}` is no SHA-256"));
    }
    match part.files.iter().find(|file| !is_sound(file)) {
        Some(file) => Err(format!("`{}` of `{name}` is no wheel", file.file.escape_debug())),
        None => Ok(()),
    }
}

fn is_sound(file: &LockedFile) -> bool {
    let plain = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "._+!-".contains(c))
    };
    // The version becomes part of what a resolver is asked for.
    let version = plain(&file.version) && file.version.starts_with(|c: char| c.is_ascii_digit());
    version && plain(&file.file) && file.file.strip_suffix(".whl").is_some() && is_digest(&file.sha256)
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
