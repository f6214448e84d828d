//! The local engine: Ninja on this machine, confined by bubblewrap where that works.

pub mod audit;
mod content;
pub mod sandbox;

use camino::{Utf8Path, Utf8PathBuf};

use super::ninja::transcript::{STATUS, Transcript};
use super::ninja::{Follower, Steps, failure};
use super::{Built, EngineError, Job, Limits, Made, Workshop};
use crate::Context;
use crate::process::{Command, Finished};
use crate::render::FileSet;
use crate::render::ninja::{WORK, build_directory, top};
use crate::toolchain::compiler::in_path;

/// Ninja: in the user's `PATH`, else in the Python environment's own directory of programs.
pub fn ninja(context: &Context, interpreter: &Utf8Path) -> Result<Utf8PathBuf, EngineError> {
    let beside =
        || interpreter.parent().map(|directory| directory.join("ninja")).filter(|path| path.is_file());
    let found = in_path(context, "ninja").or_else(|| in_path(context, "ninja-build")).or_else(beside);
    found.ok_or_else(|| EngineError::NoNinja { interpreter: interpreter.to_owned() })
}

/// The local engine as this build uses it.
#[derive(Clone, Debug)]
pub struct Local {
    /// Ninja.
    pub ninja: Utf8PathBuf,
    /// Whether commands are confined.
    pub sandbox: sandbox::Mode,
    /// How many run at once.
    pub limits: Limits,
}

impl Local {
    /// Runs every step of every job that is not up to date.
    pub fn build(&self, context: &Context, workshop: Workshop, jobs: &[Job]) -> Result<Built, EngineError> {
        for job in jobs {
            prepare(workshop.project, job)?;
        }
        let names = jobs.iter().map(|job| job.plan.variant.as_str());
        let mut files = FileSet::default();
        files.insert("build.ninja", top(names, self.limits.heavy)?);
        let work = workshop.project.join(WORK);
        files.write(&work).map_err(|source| EngineError::Write { directory: work, source })?;
        let (command, sandbox) = self.command(context, workshop, jobs)?;
        let root = if sandbox == "off" { workshop.project } else { workshop.staged };
        for job in jobs {
            let directory = workshop.project.join(build_directory(&job.plan.variant));
            let settled = content::settle(root, &directory, job);
            settled.map_err(|source| EngineError::Write { directory, source })?;
        }
        let transcript = Self::run(context, &command, &Steps::of(jobs), workshop.project)?;
        if sandbox == "off" {
            audit::audit(context, &self.ninja, workshop.project, jobs)?;
        }
        let libraries = jobs.iter().filter_map(|job| {
            let library = job.plan.library.as_ref()?;
            let build = workshop.project.join(build_directory(&job.plan.variant));
            let (library, map) = (build.join(&library.link.output), build.join(&library.link.map));
            Some((job.plan.variant.clone(), Made { library, map }))
        });
        Ok(Built { libraries: libraries.collect(), ran: transcript.ran, engine: "local", sandbox })
    }

    fn command(
        &self,
        context: &Context,
        workshop: Workshop,
        jobs: &[Job],
    ) -> Result<(Command, &'static str), EngineError> {
        let plain = || {
            Command::new(self.ninja.clone())
                .directory(workshop.project)
                .variable("NINJA_STATUS", STATUS)
                .variable("PATH", "/usr/local/bin:/usr/bin:/bin")
        };
        let (command, sandbox) = match self.sandbox {
            sandbox::Mode::Off => (plain(), "off"),
            mode => match sandbox::find(context) {
                Ok(program) => (sandbox::command(&program, workshop, jobs, &self.ninja), "bubblewrap"),
                Err(reason) if mode == sandbox::Mode::Require => {
                    return Err(EngineError::NoSandbox { reason });
                }
                Err(_) => (plain(), "off"),
            },
        };
        let keep_going = if self.limits.keep_going { "0" } else { "1" };
        let file = format!("{WORK}/build.ninja");
        let jobs = self.limits.jobs.to_string();
        Ok((command.arguments(["-f", &file, "-j", &jobs, "-k", keep_going]), sandbox))
    }

    fn run(
        context: &Context,
        command: &Command,
        steps: &Steps,
        project: &Utf8Path,
    ) -> Result<Transcript, EngineError> {
        let mut follower = Follower::new(context, steps);
        let finished: Finished = command.stream(context, &mut |line| follower.take(&line.text))?;
        let transcript = follower.end();
        if finished.succeeded() {
            return Ok(transcript);
        }
        let words = transcript.words.iter().map(|word| word.trim_start_matches("ninja: "));
        let words = words.chain(finished.said.iter().map(String::as_str));
        let summary = format!("Ninja {}", finished.end);
        Err(failure::explain(&transcript, &finished, words, summary, (steps, project)).into())
    }
}

/// Writes the generated files of a job and links its toolchain parts.
pub(crate) fn prepare(project: &Utf8Path, job: &Job) -> Result<(), EngineError> {
    let directory = project.join(build_directory(&job.plan.variant));
    let write = || -> std::io::Result<()> {
        job.files.write(&directory)?;
        let links = directory.join("tc");
        fs_err::create_dir_all(&links)?;
        for entry in fs_err::read_dir(&links)? {
            let entry = entry?;
            if !entry.file_name().to_str().is_some_and(|name| job.parts.contains_key(name)) {
                fs_err::remove_file(entry.path())?;
            }
        }
        for (name, target) in &job.parts {
            let link = links.join(name);
            if fs_err::read_link(&link).is_ok_and(|present| present == *target) {
                continue;
            }
            if link.symlink_metadata().is_ok() {
                fs_err::remove_file(&link)?;
            }
            fs_err::os::unix::fs::symlink(target, &link)?;
        }
        Ok(())
    };
    write().map_err(|source| EngineError::Write { directory: directory.clone(), source })
}
