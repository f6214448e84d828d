//! Which wheels make a part: uv resolves them with the user's own index configuration, so that no address, size or hash
//! stands in this program.

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use super::StoreError;
use super::part::Part;
use crate::Context;
use crate::process::{Command, Finished};
use crate::toolchain::compiler::in_path;

/// A wheel as the index describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wheel {
    pub(super) package: String,
    pub(super) file: String,
    pub(super) address: String,
    /// Bytes; not every index says it.
    pub(super) size: Option<u64>,
    pub(super) sha256: String,
}

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    packages: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    #[serde(default)]
    wheels: Vec<LockedWheel>,
}

#[derive(Deserialize)]
struct LockedWheel {
    url: Option<String>,
    size: Option<u64>,
    hashes: Hashes,
}

#[derive(Deserialize)]
struct Hashes {
    sha256: Option<String>,
}

/// Beginnings of the variables that are uv's configuration.
const CONFIGURATION: &[&str] = &["UV_", "SSL_CERT_", "XDG_"];

/// The wheels of a part's packages, in the order of its row.
pub(super) fn wheels(context: &Context, part: &Part, python: &Utf8Path) -> Result<Vec<Wheel>, StoreError> {
    let text = ask(context, part, python)?;
    let lock: Lock =
        toml::from_str(&text).map_err(|error| StoreError::unresolved(part, error.to_string()))?;
    part.packages().iter().map(|package| wheel(part, &lock, package.name)).collect()
}

fn wheel(part: &Part, lock: &Lock, package: &str) -> Result<Wheel, StoreError> {
    let lacking = |what: &str| StoreError::unresolved(part, format!("the index has {what} of `{package}`"));
    let locked = lock.packages.iter().find(|locked| locked.name == package);
    let wheel = locked.and_then(|locked| locked.wheels.first()).ok_or_else(|| lacking("no wheel"))?;
    let address = wheel.url.clone().ok_or_else(|| lacking("no address for the wheel"))?;
    let path = address.split(['?', '#']).next().unwrap_or_default();
    Ok(Wheel {
        package: package.to_owned(),
        file: path.rsplit('/').next().unwrap_or_default().replace("%2B", "+"),
        size: wheel.size,
        sha256: wheel.hashes.sha256.clone().ok_or_else(|| lacking("no SHA-256 for the wheel"))?,
        address,
    })
}

fn ask(context: &Context, part: &Part, python: &Utf8Path) -> Result<String, StoreError> {
    let beside = || python.parent().map(|directory| directory.join("uv")).filter(|path| path.is_file());
    let uv: Utf8PathBuf = in_path(context, "uv")
        .or_else(beside)
        .ok_or_else(|| StoreError::NoResolver { part: part.to_string(), interpreter: python.to_owned() })?;
    let platform = format!("{}-manylinux_2_28", std::env::consts::ARCH);
    let mut command = Command::new(uv)
        .arguments(["pip", "compile", "-", "--format", "pylock.toml", "--quiet", "--no-header"])
        .arguments(["--only-binary", ":all:", "--python", python.as_str()])
        // Any Python that has wheels of every version will do: what is taken is for no Python.
        .arguments(["--python-version", "3.12", "--python-platform", &platform])
        .input(part.requirement())
        .directory("/")
        .with_home()
        .with_proxies();
    if !part.with_dependencies() {
        command = command.argument("--no-deps");
    }
    for name in context.environment.names() {
        if CONFIGURATION.iter().any(|beginning| name.starts_with(beginning)) {
            command = command.inherit(name);
        }
    }
    let answered = command.capture(context).and_then(Finished::require_success);
    answered.map(|finished| finished.text()).map_err(|error| StoreError::unresolved(part, error.to_string()))
}
