//! Who owns a new project, what it is called and where it goes: decided from PATH and `--name` before anything is
//! written.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use kernel_spec::manifest::is_repository_id;
use kernel_spec::name::RULE;
use kernel_spec::{Finding, KernelName, code};

use crate::Context;

/// The owner where none is named: it stands in the files to be replaced.
const PLACEHOLDER_OWNER: &str = "your-name";

/// Most characters that the Hub allows in the name of a repository.
const HUB_LIMIT: usize = 96;

/// Packages that kernels, their tests and their benchmarks import.
const IMPORTED: &[&str] = &["torch", "triton", "tvm_ffi", "kernels", "numpy", "jax", "pytest"];

/// Owner and name of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) owner: String,
    pub(super) name: KernelName,
}

/// An identity and the directory for it.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) identity: Identity,
    /// Absolute.
    pub(super) directory: Utf8PathBuf,
    /// What the user should know of the choice.
    pub(super) notes: Vec<Finding>,
}

impl Identity {
    /// The repository on the Hub. The Hub is stricter than the rule for kernels: no two dashes in a row, and a limit.
    pub(super) fn repo_id(&self) -> String {
        let mut name = String::new();
        for letter in self.name.as_str().chars().take(HUB_LIMIT) {
            if letter != '-' || !name.ends_with('-') {
                name.push(letter);
            }
        }
        format!("{}/{}", self.owner, name.trim_end_matches('-'))
    }
}

/// PATH is the directory and, without `--name`, its last part the name. `--name` alone makes a directory of that name
/// in the working directory. With neither, the working directory is the project.
pub(super) fn decide(
    context: &Context,
    path: Option<&Utf8Path>,
    named: Option<&str>,
) -> Result<Place, Vec<Finding>> {
    let given = path.map(|path| lexical(&context.resolve(path)));
    let (owner, written) = match named {
        Some(text) => text.split_once('/').map_or((None, text), |(owner, name)| (Some(owner), name)),
        None => (None, given.as_ref().unwrap_or(&context.working_directory).file_name().unwrap_or_default()),
    };
    let mut faults = Vec::new();
    if let Some(owner) = owner
        && !is_repository_id(&format!("{owner}/name"))
    {
        let message = format!("`{}` cannot be the owner of a repository", owner.escape_debug());
        faults.push(Finding::error(&code::init::OWNER, message));
    }
    let name = match usable(written) {
        Ok(name) if faults.is_empty() => name,
        Ok(_) => return Err(faults),
        Err((reason, proposal)) => {
            let owner = owner.filter(|_| faults.is_empty()).unwrap_or(PLACEHOLDER_OWNER);
            let message = format!("`{}` cannot be the name of a kernel", written.escape_debug());
            let help = format!("for example `--name {owner}/{proposal}`");
            faults.push(Finding::error(&code::init::NAME, message).cause(reason).help(help));
            return Err(faults);
        }
    };
    let directory = given.unwrap_or_else(|| match named {
        Some(_) => context.working_directory.join(name.as_str()),
        None => context.working_directory.clone(),
    });
    let identity = Identity { owner: owner.unwrap_or(PLACEHOLDER_OWNER).to_owned(), name };
    let notes = notes(&identity, owner.is_some());
    Ok(Place { identity, directory, notes })
}

/// The name, or why it is none and one that is. Beyond the rule, its Python package must be importable and must not
/// take the place of one that kernels and their tests import.
fn usable(written: &str) -> Result<KernelName, (String, String)> {
    let name = written.parse::<KernelName>().map_err(|error| {
        let proposal = error.proposal.map_or_else(|| "my-kernel".to_owned(), |name| name.to_string());
        (format!("a name is {RULE}"), proposal)
    })?;
    let package = name.python_name();
    let proposal = format!("{name}-kernel");
    if ruff_python_parser::parse_module(&format!("import {package}")).is_err() {
        return Err((
            format!("`{package}` is a word of the Python language, which no package can be called"),
            proposal,
        ));
    }
    if IMPORTED.contains(&package.as_str()) {
        return Err((
            format!("the package `{package}` would hide the one that kernels import by that name"),
            proposal,
        ));
    }
    Ok(name)
}

fn notes(identity: &Identity, owner_is_named: bool) -> Vec<Finding> {
    let repo_id = identity.repo_id();
    let mut notes = Vec::new();
    if !owner_is_named {
        let message = format!("no owner was named, so the files say `{repo_id}`");
        notes.push(Finding::note(&code::init::PLACEHOLDER_OWNER, message));
    }
    if !repo_id.ends_with(&format!("/{}", identity.name)) {
        let message =
            format!("the Hub has no repositories called `{}`, so the files say `{repo_id}`", identity.name);
        notes.push(Finding::note(&code::init::HUB_NAME, message));
    }
    notes
}

/// A path without `.` and `..`. The part before a `..` need not exist, so links are not followed.
fn lexical(path: &Utf8Path) -> Utf8PathBuf {
    let mut result = Utf8PathBuf::new();
    for component in path.components() {
        match component {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => drop(result.pop()),
            part => result.push(part),
        }
    }
    result
}
