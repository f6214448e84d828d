//! `skills`: what agents should know of this work, in files that come with the program, so that they always speak of the
//! version that is installed. A file that somebody changed is only replaced when that is asked for.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::report::skills::{InstalledSkill, Skill, SkillState, SkillsReport};
use miette::Diagnostic;
use thiserror::Error;

use crate::{Context, Result, atomic, regular};

/// The version that the files speak of.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The name of the file that agents look for in a skill's directory.
const FILE: &str = "SKILL.md";

/// Every skill, the loop first.
static SKILLS: &[(&str, &str)] = &[
    ("kernel-loop", include_str!("../../../../templates/skills/kernel-loop.md")),
    ("cpu-kernels", include_str!("../../../../templates/skills/cpu-kernels.md")),
    ("cuda-kernels", include_str!("../../../../templates/skills/cuda-kernels.md")),
    ("rocm-kernels", include_str!("../../../../templates/skills/rocm-kernels.md")),
    ("xpu-kernels", include_str!("../../../../templates/skills/xpu-kernels.md")),
    ("metal-kernels", include_str!("../../../../templates/skills/metal-kernels.md")),
    ("triton-kernels", include_str!("../../../../templates/skills/triton-kernels.md")),
];

/// Whose directory a skill goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// `.claude/skills`.
    Claude,
    /// `.codex/skills`.
    Codex,
    /// `.opencode/skills`.
    OpenCode,
    /// A directory.
    Directory(Utf8PathBuf),
}

/// What to install.
#[derive(Clone, Debug)]
pub struct AddOptions {
    /// Which; all without any.
    pub skills: Vec<String>,
    /// Where to.
    pub places: Vec<Place>,
    /// Whether agents' directories of the user are meant, instead of those of the working directory.
    pub global: bool,
    /// Whether files that differ are replaced.
    pub force: bool,
}

/// Why nothing was installed.
#[derive(Debug, Error, Diagnostic)]
pub enum SkillsError {
    /// There is no such skill.
    #[error("there is no skill `{name}`")]
    #[diagnostic(code("skills/unknown"), help("there are {known}"))]
    Unknown {
        /// What was asked for.
        name: String,
        /// Those there are.
        known: String,
    },
    /// Files are there and differ.
    #[error("{} and differ from what would be written", there(files))]
    #[diagnostic(code("skills/exists"), help("look at them; `--force` replaces them, nothing was written"))]
    Exists {
        /// The files.
        files: Vec<String>,
    },
    /// The user has no home.
    #[error("it is not known where the user's own directory is")]
    #[diagnostic(code("skills/unknown"), help("set `HOME`, or name a directory with `--dest`"))]
    NoHome,
}

fn there(files: &[String]) -> String {
    let verb = if files.len() == 1 { "exists" } else { "exist" };
    format!("`{}` {verb}", files.join("`, `"))
}

/// What there is.
pub fn list() -> SkillsReport {
    let skills = SKILLS.iter().map(|(name, text)| Skill {
        name: (*name).to_owned(),
        description: description(text),
        version: VERSION.to_owned(),
    });
    SkillsReport { skills: skills.collect(), installed: Vec::new() }
}

/// Writes skills; nothing is written where something stands in the way.
pub fn add(context: &Context, options: &AddOptions) -> Result<SkillsReport> {
    let mut files: Vec<(String, Utf8PathBuf, String)> = Vec::new();
    for (name, text) in chosen(&options.skills)? {
        for place in &options.places {
            let path = directory(context, place, options.global)?.join(name).join(FILE);
            files.push((name.to_owned(), path, versioned(text)));
        }
    }
    let differs = |(_, path, text): &&(String, Utf8PathBuf, String)| {
        fs_err::symlink_metadata(path).is_ok() && !regular::holds(path, text.as_bytes())
    };
    let different: Vec<String> = files.iter().filter(differs).map(|(_, path, _)| path.to_string()).collect();
    if !different.is_empty() && !options.force {
        return Err(SkillsError::Exists { files: different }.into());
    }
    let mut report = SkillsReport { skills: Vec::new(), installed: Vec::new() };
    for (name, path, text) in files {
        let current = regular::holds(&path, text.as_bytes());
        if !current {
            atomic::write(&path, text.as_bytes())?;
        }
        let state = if current { SkillState::Current } else { SkillState::Written };
        report.installed.push(InstalledSkill { name, path: path.into_string(), state });
    }
    Ok(report)
}

fn chosen(names: &[String]) -> Result<Vec<(&'static str, &'static str)>, SkillsError> {
    if names.is_empty() {
        return Ok(SKILLS.to_vec());
    }
    let find = |name: &String| {
        let known = || SKILLS.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let found = SKILLS.iter().find(|(known, _)| known == name).copied();
        found.ok_or_else(|| SkillsError::Unknown { name: name.clone(), known: known() })
    };
    names.iter().map(find).collect()
}

fn directory(context: &Context, place: &Place, global: bool) -> Result<Utf8PathBuf, SkillsError> {
    let folder = match place {
        Place::Directory(directory) => return Ok(context.resolve(directory)),
        Place::Claude => ".claude",
        Place::Codex => ".codex",
        Place::OpenCode => ".opencode",
    };
    let home = || context.environment.get("HOME").map(Utf8PathBuf::from).ok_or(SkillsError::NoHome);
    let base = match (global, place) {
        (false, _) => context.working_directory.join(folder),
        (true, Place::OpenCode) => match context.environment.get("XDG_CONFIG_HOME") {
            Some(configuration) => Utf8Path::new(configuration).join("opencode"),
            None => home()?.join(".config/opencode"),
        },
        (true, _) => home()?.join(folder),
    };
    Ok(base.join("skills"))
}

/// The text with the version it speaks of, in its front-matter.
fn versioned(text: &str) -> String {
    text.replacen("\n---\n", &format!("\nversion: {VERSION}\n---\n"), 1)
}

fn description(text: &str) -> String {
    text.lines().find_map(|line| line.strip_prefix("description: ")).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_skill_has_its_own_name_a_description_and_a_version() {
        for (name, text) in SKILLS {
            let text = versioned(text);
            let front_matter = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
            let (front_matter, body) = front_matter.expect("a front-matter");
            let keys: Vec<&str> = front_matter.lines().filter_map(|line| line.split(": ").next()).collect();
            assert_eq!(keys, ["name", "description", "version"]);
            assert!(front_matter.starts_with(&format!("name: {name}\n")), "{name}");
            // A colon and a space in a plain scalar would end it.
            assert!(!description(&text).contains(": ") && !description(&text).is_empty(), "{name}");
            assert!(body.lines().count() > 10, "{name}");
        }
    }
}
