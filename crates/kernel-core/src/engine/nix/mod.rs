//! The Nix engine: the same `build.ninja` in Nix's sandbox, with a compiler of Nix's. Everything is decided before: this
//! lays the inputs out, starts one `nix`, follows its log and says where the results are.

pub mod inside;
mod log;
mod refusal;
mod request;

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::variant::ArchVariant;
use kernel_spec::{Backend, Finding, code};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use log::{Heard, Log};

use super::ninja::{Steps, failure};
use super::{Built, EngineError, Job, Limits, Made};
use crate::process::{Command, Finished};
use crate::render::FileSet;
use crate::render::ninja::WORK;
use crate::toolchain::compiler::{Compiler, Description, in_path};
use crate::toolchain::fingerprint::{Witnesses, hexadecimal};
use crate::{Context, atomic, network};

/// The Nix files of the engine.
static LIBRARY: &[(&str, &str)] = &[
    ("default.nix", include_str!("../../../../../nix/default.nix")),
    ("facts.nix", include_str!("../../../../../nix/facts.nix")),
    ("facts.sh", include_str!("../../../../../nix/facts.sh")),
    ("library.nix", include_str!("../../../../../nix/library.nix")),
    ("nixpkgs.nix", include_str!("../../../../../nix/nixpkgs.nix")),
    ("nixpkgs-toolchain.nix", include_str!("../../../../../nix/nixpkgs-toolchain.nix")),
    ("step.nix", include_str!("../../../../../nix/step.nix")),
    ("step.sh", include_str!("../../../../../nix/step.sh")),
];

/// How Nix is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// A Nix file that gives the compilers; those of a pinned nixpkgs where it is not given.
    pub toolchain: Option<Utf8PathBuf>,
    /// The store, as `nix --store` takes it; the machine's where it is not given.
    pub store: Option<String>,
    /// Machines that build, as `nix --builders` takes them.
    pub builders: Option<String>,
}

/// Nix, ready to build.
#[derive(Clone, Debug)]
pub struct Nix {
    program: Utf8PathBuf,
    library: Utf8PathBuf,
    toolchain: Utf8PathBuf,
    options: Options,
    cache: Utf8PathBuf,
}

/// What is remembered of a toolchain.
#[derive(Serialize, Deserialize)]
struct Remembered {
    /// Where its description lies in the store.
    facts: String,
    witnesses: Witnesses,
    compiler: Compiler,
}

/// Whether a variant can be made; else why not.
pub(super) fn supports(variant: &ArchVariant) -> Result<(), EngineError> {
    match variant.compute.backend() {
        Backend::Cpu | Backend::Cuda => Ok(()),
        backend => Err(EngineError::Unsupported {
            variant: kernel_spec::variant::Variant::Arch(*variant).to_string(),
            reason: format!("it has no toolkit of {} yet", backend.row().title),
        }),
    }
}

impl Nix {
    /// Nix on this machine; `cache` keeps the engine's own files and what is known of toolchains.
    pub fn find(context: &Context, options: &Options, cache: &Utf8Path) -> Result<Self, EngineError> {
        let program = in_path(context, "nix").ok_or(EngineError::NoNix)?;
        let mut files = FileSet::default();
        for (name, text) in LIBRARY {
            files.insert(*name, *text);
        }
        let library = cache.join("nix/library").join(&files.digest()[..16]);
        files.write(&library).map_err(|source| EngineError::Write { directory: library.clone(), source })?;
        let named = options.toolchain.as_ref().map(|path| context.resolve(path));
        let toolchain = named.unwrap_or_else(|| library.join("nixpkgs.nix"));
        Ok(Self { program, library, toolchain, options: options.clone(), cache: cache.to_owned() })
    }

    /// The toolchain's compiler: from memory where nothing it was drawn from has changed.
    pub fn compiler(&self, context: &Context) -> Result<Compiler, EngineError> {
        if let Some(remembered) = self.remembered() {
            return Ok(remembered.compiler);
        }
        let steps = Steps::default();
        let command = self.command("facts.nix").argument("--no-link");
        let (facts, _) =
            Self::run(context, &command, (&steps, &self.library)).map_err(|error| match error {
                // It is the compiler that does not answer, not a step of the project.
                EngineError::Steps(faults) if faults.code == &code::build::ENGINE => {
                    self.no_description(faults).into()
                }
                other => other,
            })?;
        let path = self.real(&facts);
        let text =
            fs_err::read(&path).map_err(|source| EngineError::Elsewhere { path: facts.clone(), source })?;
        let described = serde_json::from_slice::<Description>(&text);
        let described = described
            .map_err(|source| EngineError::Toolchain { toolchain: self.toolchain.clone(), source })?;
        let mut witnesses = Witnesses::default();
        witnesses.add(self.toolchain.clone());
        witnesses.add(path);
        let (compiler, witnesses) = self.on_this_machine(described).identify(witnesses)?;
        let remembered = Remembered { facts, witnesses, compiler };
        // A memory that cannot be written costs time, never a build.
        if let Ok(text) = serde_json::to_vec(&remembered)
            && let Err(error) = atomic::write(&self.memory(), &text)
        {
            tracing::debug!(%error, "the facts about the toolchain were not kept");
        }
        Ok(remembered.compiler)
    }

    /// Builds every job that is not in the store already.
    pub fn build(
        &self,
        context: &Context,
        project: &Utf8Path,
        limits: Limits,
        jobs: &[Job],
    ) -> Result<Built, EngineError> {
        let directory = project.join(WORK).join("nix");
        let request = request::write(project, &directory, &self.cache, jobs)
            .map_err(|source| EngineError::Write { directory: directory.clone(), source })?;
        let mut command = self.command("default.nix").arguments(["--argstr", "request", request.as_str()]);
        command = command.arguments(["--cores", &limits.heavy.to_string()]);
        // A link of the result keeps the store's garbage collector away from it.
        command = command.arguments(["--out-link", directory.join("result").as_str()]);
        if limits.keep_going {
            command = command.argument("--keep-going");
        }
        let steps = Steps::of(jobs);
        let (result, heard) = Self::run(context, &command, (&steps, project))?;
        let facts = self.linked(&result, "toolchain.json")?;
        if self.remembered().is_none_or(|remembered| remembered.facts != facts) {
            let _ = fs_err::remove_file(self.memory());
            return Err(EngineError::ToolchainChanged { toolchain: self.toolchain.clone() });
        }
        let mut libraries = BTreeMap::new();
        for job in jobs {
            let Some(library) = &job.plan.library else { continue };
            let made = self.real(&self.linked(&result, &job.plan.variant)?);
            let made = Made { library: made.join(&library.link.output), map: made.join(&library.link.map) };
            libraries.insert(job.plan.variant.clone(), made);
        }
        Ok(Built { libraries, ran: heard.transcript.ran, engine: "nix", sandbox: "nix" })
    }

    fn no_description(&self, faults: Faults) -> Faults {
        let code = &code::nix::TOOLCHAIN;
        let as_its_own = |finding: Finding| Finding { code, help: code.remedy.to_owned(), ..finding };
        let summary = format!("the toolchain `{}` does not describe its compiler", self.toolchain);
        Faults::new(code, summary, faults.findings.0.into_iter().map(as_its_own).collect())
    }

    fn command(&self, file: &str) -> Command {
        let mut command = Command::new(self.program.clone()).with_home().with_proxies();
        for variable in [
            "NIX_CONF_DIR",
            "NIX_CONFIG",
            "NIX_REMOTE",
            "NIX_DAEMON_SOCKET_PATH",
            "NIX_SSL_CERT_FILE",
            "NIX_STATE_DIR",
            "NIX_STATE_HOME",
            "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME",
            "XDG_STATE_HOME",
        ] {
            command = command.inherit(variable);
        }
        command = command
            .arguments(["build", "--extra-experimental-features", "nix-command"])
            .arguments(["--log-format", "internal-json", "--json"])
            .arguments(["--file", self.library.join(file).as_str()])
            .arguments(["--argstr", "toolchain", self.toolchain.as_str()]);
        for (flag, value) in [("--store", &self.options.store), ("--builders", &self.options.builders)] {
            if let Some(value) = value {
                command = command.arguments([flag, value]);
            }
        }
        command
    }

    /// Runs Nix; the result is the path of what it built, in the store.
    fn run(
        context: &Context,
        command: &Command,
        (steps, project): (&Steps, &Utf8Path),
    ) -> Result<(String, Heard), EngineError> {
        network::require_certificates(context, "NIX_SSL_CERT_FILE").map_err(Box::new)?;
        let mut log = Log::new(context, steps);
        let mut answer = String::new();
        let finished: Finished = command.stream(context, &mut |line| match line.stream {
            crate::process::Stream::Output => answer.push_str(&line.text),
            crate::process::Stream::Error => log.take(&line.text),
        })?;
        let heard = log.end();
        let output = serde_json::from_str::<serde_json::Value>(&answer).ok();
        let output = output.and_then(|answer| Some(answer[0]["outputs"]["out"].as_str()?.to_owned()));
        if let Some(path) = output.filter(|_| finished.succeeded()) {
            return Ok((path, heard));
        }
        // The first error is the one that the others follow from; what comes before it may be no error.
        let first = heard.errors.iter().find(|word| !word.starts_with("warning:")).or(heard.errors.first());
        let words: Vec<String> = heard.said.iter().chain(first).cloned().collect();
        if heard.transcript.failed.is_empty()
            && let Some(refused) = refusal::recognise(&words, heard.built)
        {
            return Err(refused.into());
        }
        let words = words.iter().map(String::as_str);
        let summary = format!("Nix {}", finished.end);
        Err(failure::explain(&heard.transcript, &finished, words, summary, (steps, project)).into())
    }

    /// Where a link of a result points, in the store.
    fn linked(&self, result: &str, name: &str) -> Result<String, EngineError> {
        let link = self.real(result).join(name);
        let target = fs_err::read_link(&link)
            .map_err(|source| EngineError::Elsewhere { path: format!("{result}/{name}"), source })?;
        Ok(target.to_string_lossy().into_owned())
    }

    fn on_this_machine(&self, described: Description) -> Description {
        let real = |path: &Utf8PathBuf| self.real(path.as_str());
        let reals = |paths: &BTreeMap<String, Utf8PathBuf>| {
            paths.iter().map(|(name, path)| (name.clone(), real(path))).collect()
        };
        Description {
            cxx: real(&described.cxx),
            ar: real(&described.ar),
            programs: reals(&described.programs),
            files: reals(&described.files),
            headers: described.headers.iter().map(real).collect(),
            ..described
        }
    }

    /// A path of the store as this machine reaches it: a store elsewhere than at the root has the root before it.
    fn real(&self, path: &str) -> Utf8PathBuf {
        let store = self.options.store.as_deref().unwrap_or_default();
        let named = store.split_once("root=").map(|(_, root)| root.split('&').next().unwrap_or(root));
        let root = named.or_else(|| Some(store).filter(|store| store.starts_with('/')));
        match root {
            Some(root) => Utf8PathBuf::from(format!("{}{path}", root.trim_end_matches('/'))),
            None => path.into(),
        }
    }

    fn remembered(&self) -> Option<Remembered> {
        let bytes = fs_err::read(self.memory()).ok()?;
        serde_json::from_slice::<Remembered>(&bytes).ok().filter(|known| known.witnesses.hold())
    }

    fn memory(&self) -> Utf8PathBuf {
        let mut asked = Sha256::new_with_prefix("1");
        for part in
            [self.library.as_str(), self.toolchain.as_str(), self.options.store.as_deref().unwrap_or("")]
        {
            asked.update((part.len() as u64).to_le_bytes());
            asked.update(part);
        }
        self.cache.join("nix").join(format!("compiler-{}.json", &hexadecimal(asked)[..16]))
    }
}
