//! Which wheels make a part: uv resolves them with the user's own index configuration, so that no address, size or hash
//! stands in this program.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_hub::http::Token;
use serde::Deserialize;

use super::StoreError;
use super::credentials;
use super::part::Part;
use crate::process::{Command, Finished};
use crate::toolchain::compiler::in_path;
use crate::toolchain::lock::LockedFile;
use crate::{Context, network};

/// A wheel as the index describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wheel {
    pub(super) package: String,
    pub(super) file: String,
    pub(super) address: String,
    /// Bytes; not every index says it.
    pub(super) size: Option<u64>,
    pub(super) sha256: String,
    /// Who asks for it, where its index wants to know.
    pub(super) token: Option<Token>,
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
    let lock = ask(context, part, (&part.requirement(), part.with_dependencies()), python)?;
    let first = |package: &super::part::Package| {
        let of_it = candidates(context, part, &lock, package.name)?;
        of_it.into_iter().next().ok_or_else(|| lacking(part, "no wheel", package.name))
    };
    part.packages().iter().map(first).collect()
}

/// Exactly the wheels that a lock names, wherever the index has them now.
pub(super) fn locked(
    context: &Context,
    part: &Part,
    files: &[LockedFile],
    python: &Utf8Path,
) -> Result<Vec<Wheel>, StoreError> {
    let lines: Vec<String> = files.iter().map(|file| format!("{}=={}", file.name, file.version)).collect();
    let lock = ask(context, part, (&lines.join("\n"), false), python)?;
    let same = |locked: &LockedFile| {
        let wheels = candidates(context, part, &lock, &locked.name)?;
        let found = wheels.into_iter().find(|wheel| wheel.file == locked.file);
        let found = found.ok_or_else(|| lacking(part, "no wheel of that name", &locked.file))?;
        if found.sha256 == locked.sha256 {
            return Ok(found);
        }
        let (file, listed) = (&locked.file, super::short(&found.sha256));
        let reason = format!(
            "the index lists `{file}` with the SHA-256 {listed}, locked is {}",
            super::short(&locked.sha256)
        );
        Err(StoreError::Unlocked { part: part.to_string(), reason })
    };
    files.iter().map(same).collect()
}

fn lacking(part: &Part, what: &str, package: &str) -> StoreError {
    StoreError::unresolved(part, format!("the index has {what} of `{package}`"))
}

/// The wheels of a package that fit, in the resolver's order.
fn candidates(context: &Context, part: &Part, lock: &Lock, package: &str) -> Result<Vec<Wheel>, StoreError> {
    let locked = lock.packages.iter().filter(|locked| locked.name == package);
    let wheel = |wheel: &LockedWheel| {
        let address = wheel.url.clone().ok_or_else(|| lacking(part, "no address for the wheel", package))?;
        let path = address.split(['?', '#']).next().unwrap_or_default();
        let sha256 = wheel.hashes.sha256.clone();
        Ok(Wheel {
            package: package.to_owned(),
            file: path.rsplit('/').next().unwrap_or_default().replace("%2B", "+"),
            size: wheel.size,
            sha256: sha256.ok_or_else(|| lacking(part, "no SHA-256 for the wheel", package))?,
            token: credentials::of(&context.environment, &address),
            address,
        })
    };
    locked.flat_map(|locked| &locked.wheels).map(wheel).collect()
}

fn ask(
    context: &Context,
    part: &Part,
    (requirements, with_dependencies): (&str, bool),
    python: &Utf8Path,
) -> Result<Lock, StoreError> {
    let beside = || python.parent().map(|directory| directory.join("uv")).filter(|path| path.is_file());
    let uv: Utf8PathBuf = in_path(context, "uv")
        .or_else(beside)
        .ok_or_else(|| StoreError::NoResolver { part: part.to_string(), interpreter: python.to_owned() })?;
    network::require_certificates(context, "SSL_CERT_FILE")?;
    let platform = format!("{}-manylinux_2_28", std::env::consts::ARCH);
    let mut command = Command::new(uv)
        .arguments(["pip", "compile", "-", "--format", "pylock.toml", "--quiet", "--no-header"])
        .arguments(["--only-binary", ":all:", "--python", python.as_str()])
        // Any Python that has wheels of every version will do: what is taken is for no Python.
        .arguments(["--python-version", "3.12", "--python-platform", &platform])
        .input(requirements.to_owned())
        .directory("/")
        .with_home()
        .with_proxies();
    if !with_dependencies {
        command = command.argument("--no-deps");
    }
    for name in context.environment.names() {
        if CONFIGURATION.iter().any(|beginning| name.starts_with(beginning)) {
            command = command.inherit(name);
        }
    }
    let answered = command.capture(context).and_then(Finished::require_success);
    let unresolved = |error: String| StoreError::unresolved(part, error);
    let text = answered.map_err(|error| unresolved(error.to_string()))?.text();
    toml::from_str(&text).map_err(|error| unresolved(error.to_string()))
}
