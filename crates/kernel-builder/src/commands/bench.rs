//! `bench`: is the kernel right, and is it faster than what it replaces?

use std::time::Duration;

use camino::Utf8PathBuf;
use clap::ValueEnum;
use kernel_bench::decision::Settings;
use kernel_core::bench::{Form, Options};
use kernel_core::verbs::bench::{BenchOptions, FailOn, bench};
use kernel_spec::report::Report;

use super::interpreter::Interpreter;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Check a kernel's outputs, then measure it until a verdict is sure
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  kernel-builder bench\n  kernel-builder bench my-kernel --workload '*.decode' --fail-on slower"
)]
pub(crate) struct Arguments {
    /// Directory of the project, or a published kernel, which comes with its benchmarks
    #[arg(default_value = ".", value_name = "DIR|OWNER/NAME@vN", hide_default_value = true)]
    directory: Utf8PathBuf,
    /// Run the code of a publisher whom the loader does not trust
    #[arg(long)]
    trust_remote_code: bool,
    /// A built variant; repeat for more. Without it: the one that this machine's loader takes
    #[arg(long = "variant", value_name = "V")]
    variants: Vec<String>,
    /// A workload, `Class.name`, where `*` stands for any text; repeat for more. Without it: all
    #[arg(short, long = "workload", value_name = "PATTERN")]
    workloads: Vec<String>,
    /// News that is to be a failure; repeat for more
    #[arg(long = "fail-on", value_name = "NEWS")]
    fail_on: Vec<News>,
    /// Seconds that measuring a variant may take
    #[arg(long, value_name = "SECONDS", default_value_t = 90)]
    budget: u64,
    /// Seconds that a single step of a script may take
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u64,
    /// Measure exactly this many processes, and look once. Without it: 6, and up to 24 where that is not enough
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(3..))]
    processes: Option<u16>,
    /// Probability of any false claim in the run
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    alpha: f64,
    /// Smallest difference that counts, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    min_effect: f64,
    /// The seed of all inputs, orders and layouts; drawn anew without it
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Write the document with all measurements here instead of below `.kernel-builder`
    #[arg(short, long, value_name = "FILE")]
    output: Option<Utf8PathBuf>,
    /// Write the result in further forms beside the document: html, md, junit, jsonl
    #[arg(long = "report", value_name = "FORMS", value_delimiter = ',')]
    forms: Vec<Form>,
    /// Write the result with the keys of `kernels benchmark --json` to a file
    #[arg(long, value_name = "FILE")]
    compat_json: Option<Utf8PathBuf>,
    /// Compare with an earlier run, whose document this file is
    #[arg(long, value_name = "FILE")]
    against: Option<Utf8PathBuf>,
    /// Take the benchmark scripts from a directory or a commit of the repository; others in the project are a failure
    #[arg(long, value_name = "DIR|REV")]
    judge_from: Option<String>,
    /// Threads to compute with; without it the framework decides
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    #[command(flatten)]
    interpreter: Interpreter,
}

/// What `--fail-on` takes.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum News {
    Slower,
    NotFaster,
    Inconclusive,
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        self.interpreter.flags()
    }

    fn run(self, session: &Session) -> Answer {
        let mut settings =
            Settings { alpha: self.alpha, margin: self.min_effect / 100.0, ..Settings::default() };
        settings.equivalence = 2.0 * settings.margin;
        if let Some(processes) = self.processes {
            settings.looks = vec![processes.into()];
        }
        let fail_on = self.fail_on.iter().map(|news| match news {
            News::Slower => FailOn::Slower,
            News::NotFaster => FailOn::NotFaster,
            News::Inconclusive => FailOn::Inconclusive,
        });
        let options = BenchOptions {
            project: self.directory,
            trust_remote_code: self.trust_remote_code,
            variants: self.variants,
            python: session.settings.python(),
            fail_on: fail_on.collect(),
            output: self.output,
            against: self.against,
            judge_from: self.judge_from,
            compatible: self.compat_json,
            forms: self.forms,
            measuring: Options {
                settings,
                workloads: self.workloads,
                budget: Duration::from_secs(self.budget),
                limit: Duration::from_secs(self.timeout),
                threads: self.threads,
                seed: self.seed,
                output: Utf8PathBuf::new(),
            },
        };
        Ok(Report::Bench(bench(&session.context, &options)?))
    }
}
