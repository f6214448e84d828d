//! `run`: see `kernel_core::verbs::run`.

use std::time::Duration;

use camino::Utf8PathBuf;
use clap::{ArgGroup, ValueEnum};
use kernel_core::verbs::run::{RunOptions, Use, compare, run};
use kernel_spec::report::Report;

use super::pairing::Pairing;
use super::{Answer, Run};
use crate::session::Session;

/// Run a program and verify, switch, time, compare or explain its kernels
#[derive(Debug, clap::Args)]
#[command(
    group = ArgGroup::new("what").required(true).multiple(true),
    after_help = "Examples:\n  kernel-builder run --use baseline --baseline acme/relu=relu.py -- python program.py\n  \
                  kernel-builder run --share -- python program.py\n  \
                  kernel-builder run --compare --fail-on slower -- python program.py\n  \
                  kernel-builder pin acme/relu@v1 && kernel-builder run --verified -- python program.py"
)]
pub(crate) struct Arguments {
    /// Hold each kernel against the pins before its code is imported
    #[arg(long, group = "what")]
    verified: bool,
    /// The file that `pin` wrote
    #[arg(long, value_name = "FILE", default_value = "kernel-pins.json")]
    pins: Utf8PathBuf,
    /// What the program gets: what it asks for, its kernels and nothing else, or what they replace
    #[arg(long = "use", value_name = "WHAT", group = "what")]
    switch: Option<Implementation>,
    /// A Python file with what a kernel that is got directly replaces; repeat for more
    #[arg(long = "baseline", value_name = "NAME=FILE", value_parser = named_file)]
    baselines: Vec<(String, Utf8PathBuf)>,
    /// With the baseline, tell the program that there is no such kernel; repeat for more
    #[arg(long, value_name = "NAME")]
    without: Vec<String>,
    /// Measure how much of the time the operations take, and what the program can gain
    #[arg(long, group = "what")]
    share: bool,
    /// The document of `bench` with the speed-up; without it, the one beside the kernel
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    bench: Option<Utf8PathBuf>,
    /// Compare whole runs with and without the kernels, in pairs: time and peak memory
    #[arg(long, group = "what", conflicts_with_all = ["verified", "switch", "share"])]
    compare: bool,
    #[command(flatten)]
    pairing: Pairing,
    /// Seconds that a run of the program may take
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=super::LONGEST))]
    timeout: Option<u64>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Which implementation a program gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Implementation {
    Auto,
    Kernel,
    Baseline,
}

impl From<Implementation> for Use {
    fn from(implementation: Implementation) -> Self {
        match implementation {
            Implementation::Auto => Use::Auto,
            Implementation::Kernel => Use::Kernel,
            Implementation::Baseline => Use::Baseline,
        }
    }
}

/// A kernel's name and the file that stands for it.
fn named_file(text: &str) -> Result<(String, Utf8PathBuf), &'static str> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_owned(), file.into())),
        _ => Err("it must be the kernel's name, `=` and a file"),
    }
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let options = RunOptions {
            command: self.command,
            output_is_taken: session.output.is_json(),
            pins: self.verified.then_some(self.pins),
            switch: self.switch.map(Use::from),
            baselines: self.baselines,
            absent: self.without,
            share: self.share,
            document: self.bench,
            timeout: self.timeout.map(Duration::from_secs),
        };
        Ok(Report::Run(if self.compare {
            compare(&session.context, &options, &self.pairing.options())?
        } else {
            run(&session.context, &options)?
        }))
    }
}
