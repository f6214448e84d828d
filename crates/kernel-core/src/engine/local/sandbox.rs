//! bubblewrap around Ninja: the staged inputs at a fixed place, the toolchain read-only, no network, no home, an empty
//! environment. It proves that the inputs are complete; it never changes the bytes.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use camino::{Utf8Path, Utf8PathBuf};
use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::engine::ninja::transcript::STATUS;
use crate::engine::{Job, Workshop};
use crate::process::{Command, Finished};
use crate::render::ninja::{WORK, build_directory};
use crate::toolchain::compiler::in_path;

/// Where the staged project lies inside.
const INSIDE: &str = "/build";
/// Where Ninja lies inside.
const NINJA: &str = "/ninja";

/// Whether commands are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Where it works.
    #[default]
    Auto,
    /// Or not at all.
    Require,
    /// Never.
    Off,
}

impl FromStr for Mode {
    type Err = serde::de::value::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Mode::deserialize(text.into_deserializer())
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

/// bubblewrap on this machine, or why it cannot be used.
pub fn find(context: &Context) -> Result<Utf8PathBuf, String> {
    let program = in_path(context, "bwrap").ok_or("bubblewrap (`bwrap`) is not installed")?;
    let probe = Command::new(program.clone())
        .arguments(system())
        .arguments(["--unshare-all", "--die-with-parent", "--clearenv", "/usr/bin/env", "true"])
        .capture(context)
        .and_then(Finished::require_success);
    match probe {
        Ok(_) => Ok(program),
        Err(error) => Err(format!("bubblewrap does not work here: {error}")),
    }
}

/// The start of a command that runs Ninja inside; its own arguments follow.
pub fn command(bubblewrap: &Utf8Path, workshop: Workshop, jobs: &[Job], ninja: &Utf8Path) -> Command {
    let work = workshop.project.join(WORK);
    let inside_work = format!("{INSIDE}/{WORK}");
    let mut arguments: Vec<String> = system();
    let mut bind = |how: &str, from: &str, to: &str| arguments.extend([how.into(), from.into(), to.into()]);
    for directory in outside_usr(jobs) {
        bind("--ro-bind", directory.as_str(), directory.as_str());
    }
    bind("--ro-bind", workshop.staged.as_str(), INSIDE);
    bind("--bind", work.as_str(), &inside_work);
    for job in jobs {
        let tc = format!("{INSIDE}/{}/tc", build_directory(&job.plan.variant));
        arguments.extend(["--tmpfs".into(), tc.clone()]);
        for (name, path) in &job.parts {
            arguments.extend(["--ro-bind".into(), path.to_string(), format!("{tc}/{name}")]);
        }
    }
    if let Ok(staged) = workshop.staged.strip_prefix(&work) {
        arguments.extend(["--tmpfs".into(), format!("{inside_work}/{staged}")]);
    }
    arguments.extend(["--ro-bind".into(), ninja.to_string(), NINJA.into()]);
    let rest = ["--chdir", INSIDE, "--unshare-all", "--die-with-parent", "--clearenv"];
    arguments.extend(rest.map(str::to_owned));
    for (name, value) in [("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8"), ("NINJA_STATUS", STATUS)] {
        arguments.extend(["--setenv".into(), name.into(), value.into()]);
    }
    arguments.push(NINJA.into());
    Command::new(bubblewrap).arguments(arguments)
}

/// The system's programs and libraries, without anything a user keeps.
fn system() -> Vec<String> {
    let mut arguments: Vec<String> = ["--ro-bind", "/usr", "/usr"].map(str::to_owned).into();
    for directory in ["/bin", "/sbin", "/lib", "/lib32", "/lib64"] {
        let path = Utf8Path::new(directory);
        if let Ok(target) = path.read_link_utf8() {
            arguments.extend(["--symlink".into(), target.into_string(), directory.into()]);
        } else if path.is_dir() {
            arguments.extend(["--ro-bind".into(), directory.into(), directory.into()]);
        }
    }
    for optional in ["/etc/alternatives", "/etc/ld.so.cache"] {
        arguments.extend(["--ro-bind-try".into(), optional.into(), optional.into()]);
    }
    arguments.extend(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"].map(str::to_owned));
    arguments
}

/// Directories of the toolchain that lie outside of `/usr`.
fn outside_usr(jobs: &[Job]) -> BTreeSet<Utf8PathBuf> {
    jobs.iter()
        .flat_map(|job| job.directories.iter())
        .filter(|path| !path.starts_with("/usr"))
        .cloned()
        .collect()
}
