//! Settings: defaults, the user's file, the environment and flags, merged once as tables and read once as a struct.
//! The struct's defaults are also the list of keys, so file, environment and flags cannot disagree about names.

use camino::Utf8PathBuf;
use kernel_core::context::Environment;
use kernel_core::engine::Choice;
use kernel_core::engine::local::sandbox::Mode;
use kernel_core::engine::nix::Options;
use kernel_core::regular;
use kernel_spec::error::Faults;
use kernel_spec::{Finding, SourceText, code};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::output::Color;

/// No file of settings comes near this size in bytes.
const LARGEST: u64 = 1 << 20;

/// The merged settings. Keys are kebab-case in the file and upper snake case after `KERNEL_BUILDER_` in the environment.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// When to colour.
    pub(crate) color: Color,
    /// Say nothing but the answer and errors.
    pub(crate) quiet: bool,
    /// Never use the network.
    pub(crate) offline: bool,
    /// The interpreter to build for and to test with, or its environment's directory; empty for the active one.
    python: String,
    /// Whether compilers are confined.
    pub(crate) sandbox: Mode,
    /// `local` or `nix`.
    engine: Engine,
    /// A Nix file that gives the compilers; empty for those of a pinned nixpkgs.
    nix_toolchain: String,
    /// The store that Nix builds in, as `nix --store` takes it; empty for the machine's.
    nix_store: String,
    /// Machines that Nix builds on, as `nix --builders` takes them.
    nix_builders: String,
    /// Commands at once; 0 to decide from cores and memory.
    jobs: u16,
    /// A file that names other authorities for signatures than Sigstore's public ones; empty for those.
    trust_config: String,
}

/// What runs the commands of a build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub(crate) enum Engine {
    #[default]
    Local,
    Nix,
}

/// Some settings, from one origin.
#[derive(Debug, Default)]
pub(crate) struct Layer(Table);

impl Layer {
    /// No settings.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a setting where the user gave one.
    pub(crate) fn set_if(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.insert(key.to_owned(), value.into());
        }
    }

    /// The setting of `--trust-config`, which several commands have.
    pub(crate) fn of_trust_config(file: Option<&Utf8PathBuf>) -> Self {
        let mut layer = Self::new();
        layer.set_if("trust-config", file.map(|file| file.as_str()));
        layer
    }

    /// These settings, and below them others.
    pub(crate) fn over(self, below: Layer) -> Layer {
        let mut merged = below.0;
        merged.extend(self.0);
        Layer(merged)
    }
}

impl Settings {
    /// The interpreter where one is named.
    pub(crate) fn python(&self) -> Option<String> {
        Some(self.python.clone()).filter(|python| !python.is_empty())
    }

    /// Which engine is to build, and how.
    pub(crate) fn engine(&self) -> Choice {
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        match self.engine {
            Engine::Local => Choice::Local,
            Engine::Nix => Choice::Nix(Options {
                toolchain: given(&self.nix_toolchain).map(Utf8PathBuf::from),
                store: given(&self.nix_store),
                builders: given(&self.nix_builders),
            }),
        }
    }

    /// The file of other authorities for signatures where it is named.
    pub(crate) fn trust_config(&self) -> Option<Utf8PathBuf> {
        Some(Utf8PathBuf::from(&self.trust_config)).filter(|file| !file.as_str().is_empty())
    }

    /// The number of commands at once where it is given.
    pub(crate) fn jobs(&self) -> Option<usize> {
        Some(usize::from(self.jobs)).filter(|jobs| *jobs > 0)
    }

    /// Merges all layers; every fault of every layer is named.
    pub(crate) fn load(environment: &Environment, flags: Layer) -> Result<Settings, Faults> {
        let mut faults = Vec::new();
        let file = from_file(environment).unwrap_or_else(|finding| {
            faults.push(*finding);
            Layer::new()
        });
        let variables = from_environment(environment, &mut faults);
        if faults.is_empty() {
            let merged = flags.over(variables).over(file);
            match Settings::deserialize(Value::Table(merged.0)) {
                Ok(settings) => return Ok(settings),
                Err(error) => faults.push(Finding::error(&code::internal::SETTINGS, error.message())),
            }
        }
        Err(Faults::new(&code::internal::SETTINGS, "the settings cannot be used", faults).or_unread())
    }
}

/// `config.toml` in the user's configuration directory, or the file that `KERNEL_BUILDER_CONFIG` names.
fn from_file(environment: &Environment) -> Result<Layer, Box<Finding>> {
    let named = environment.get("KERNEL_BUILDER_CONFIG").map(Utf8PathBuf::from);
    let must_exist = named.is_some();
    let usual = || Some(environment.configuration_directory()?.join("config.toml"));
    let Some(path) = named.or_else(usual) else { return Ok(Layer::new()) };
    let text = match regular::text(&path, LARGEST) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !must_exist => return Ok(Layer::new()),
        Err(error) => {
            let finding = Finding::error(&code::environment::UNREADABLE, format!("`{path}` cannot be read"));
            return Err(Box::new(finding.cause(error.to_string())));
        }
    };
    let source = SourceText::new(path.as_str(), text.as_str());
    let fault = |error: toml::de::Error| {
        let finding = Finding::error(&code::internal::SETTINGS, error.message());
        Box::new(match error.span() {
            Some(bytes) => finding.at(source.span(bytes)),
            None => finding,
        })
    };
    toml::from_str::<Settings>(&text).map_err(fault)?;
    Ok(Layer(text.parse().map_err(fault)?))
}

fn from_environment(environment: &Environment, faults: &mut Vec<Finding>) -> Layer {
    let defaults = Table::try_from(Settings::default()).unwrap_or_default();
    let mut layer = Table::new();
    for (key, default) in defaults {
        let variable = format!("KERNEL_BUILDER_{}", key.to_uppercase().replace('-', "_"));
        let Some(text) = environment.get(&variable) else { continue };
        let value = match (&default, text) {
            (Value::Boolean(_), "1" | "true") => Value::Boolean(true),
            (Value::Boolean(_), "0" | "false") => Value::Boolean(false),
            (Value::Integer(_), number) => number.parse().map_or(Value::from(number), Value::Integer),
            (_, text) => Value::from(text),
        };
        match Settings::deserialize(Value::Table(Table::from_iter([(key, value.clone())]))) {
            Ok(_) => layer.extend([(variable_key(&variable), value)]),
            Err(error) => faults.push(
                Finding::error(&code::internal::SETTINGS, format!("`{variable}` is `{text}`"))
                    .cause(error.message()),
            ),
        }
    }
    Layer(layer)
}

fn variable_key(variable: &str) -> String {
    variable.trim_start_matches("KERNEL_BUILDER_").to_lowercase().replace('_', "-")
}
