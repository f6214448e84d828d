//! Which Python: the one the user names, else the one whose environment is active, as pip would choose.

use camino::{Utf8Path, Utf8PathBuf};

use super::{HostError, interpreter_in};
use crate::{Context, Result};

/// A chosen interpreter.
pub(super) struct Choice {
    /// Its path, not resolved: a link into an environment means that environment.
    pub(super) path: Utf8PathBuf,
    /// Why it was chosen.
    pub(super) why: String,
}

/// Variables of an active environment, in the order in which they count.
const ENVIRONMENTS: &[(&str, &str)] =
    &[("VIRTUAL_ENV", "the active virtual environment"), ("CONDA_PREFIX", "the active Conda environment")];

pub(super) fn choose(context: &Context, chosen: Option<&str>) -> Result<Choice> {
    if let Some(named) = chosen {
        let path = find_named(context, named)
            .ok_or_else(|| HostError::Missing { origin: "`--python`".to_owned(), named: named.to_owned() })?;
        return Ok(Choice { path, why: "`--python` names it".to_owned() });
    }
    for (variable, title) in ENVIRONMENTS {
        let Some(environment) = context.environment.get(variable) else { continue };
        let path = interpreter_in(&context.resolve(Utf8Path::new(environment)));
        if !path.is_file() {
            let origin = format!("`{variable}`");
            return Err(HostError::Missing { origin, named: environment.to_owned() }.into());
        }
        return Ok(Choice { path, why: format!("it is {title} (`{variable}`)") });
    }
    let path = on_path(context, "python3").ok_or(HostError::None)?;
    Ok(Choice { path, why: "it is the first `python3` on `PATH`".to_owned() })
}

/// A path to an interpreter, to the directory of an environment, or a name on `PATH`.
fn find_named(context: &Context, named: &str) -> Option<Utf8PathBuf> {
    let path = context.resolve(Utf8Path::new(named));
    if path.is_dir() {
        return Some(interpreter_in(&path)).filter(|path| path.is_file());
    }
    let is_name = !named.contains('/');
    Some(path).filter(|path| path.is_file()).or_else(|| if is_name { on_path(context, named) } else { None })
}

fn on_path(context: &Context, name: &str) -> Option<Utf8PathBuf> {
    let directories = context.environment.get("PATH")?.split(':').filter(|directory| !directory.is_empty());
    directories
        .map(|directory| context.resolve(Utf8Path::new(directory)).join(name))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Utf8Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs_err::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}
