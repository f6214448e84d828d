//! `bench`: is the kernel right, and is it faster than what it replaces?

use camino::Utf8PathBuf;
use clap::Subcommand;
use kernel_core::bench::Form;
use kernel_core::verbs::bench::{BenchOptions, CompareOptions, FailOn, MergeOptions, bench, compare, merge};
use kernel_spec::report::Report;

use super::interpreter::Interpreter;
use super::measuring::{Measuring, News};
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Check a kernel's outputs, then measure it until a verdict is sure
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Examples:\n  kernel-builder bench\n  kernel-builder bench my-kernel --workload '*.decode' --fail-on slower"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    kept: Option<Kept>,
    /// Directory of the project, or a published kernel with its benchmarks
    #[arg(default_value = ".", value_name = "DIR|OWNER/NAME@vN", hide_default_value = true)]
    directory: Utf8PathBuf,
    /// Run the code of a publisher whom the loader does not trust
    #[arg(long)]
    trust_remote_code: bool,
    /// A built variant; repeat for more. Without it: the one that this machine's loader takes
    #[arg(long = "variant", value_name = "V")]
    variants: Vec<String>,
    /// News that is to be a failure; repeat for more
    #[arg(long = "fail-on", value_name = "NEWS")]
    fail_on: Vec<News>,
    #[command(flatten)]
    measuring: Measuring,
    /// Where the document with all measurements goes; without it below `.kernel-builder`
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
    #[command(flatten)]
    interpreter: Interpreter,
}

/// What is done with the documents of earlier runs.
#[derive(Debug, Subcommand)]
enum Kept {
    /// Say what changed from an earlier run to a later one, each held against its own baseline
    #[command(after_help = "Example:\n  kernel-builder bench compare before.json now.json --fail-on slower")]
    Compare {
        /// The document of the earlier run
        before: Utf8PathBuf,
        /// The document of the later run
        now: Utf8PathBuf,
        /// News that is to be a failure; repeat for more
        #[arg(long = "fail-on", value_name = "NEWS")]
        fail_on: Vec<News>,
    },
    /// Put the runs of several machines side by side, with claims corrected for all of them
    #[command(after_help = "Example:\n  kernel-builder bench merge laptop.json server.json")]
    Merge {
        /// The documents of the runs
        #[arg(required = true, value_name = "FILE")]
        documents: Vec<Utf8PathBuf>,
        /// News that is to be a failure; repeat for more
        #[arg(long = "fail-on", value_name = "NEWS")]
        fail_on: Vec<News>,
    },
}

impl Kept {
    fn run(self, session: &Session) -> Answer {
        let fail_on = |news: Vec<News>| news.into_iter().map(FailOn::from).collect();
        Ok(match self {
            Kept::Compare { before, now, fail_on: news } => {
                let options = CompareOptions { before, now, fail_on: fail_on(news) };
                Report::BenchCompare(compare(&session.context, &options)?)
            }
            Kept::Merge { documents, fail_on: news } => {
                let options = MergeOptions { documents, fail_on: fail_on(news) };
                Report::BenchMerge(merge(&session.context, &options)?)
            }
        })
    }
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        self.interpreter.flags()
    }

    fn run(self, session: &Session) -> Answer {
        if let Some(kept) = self.kept {
            return kept.run(session);
        }
        let options = BenchOptions {
            project: self.directory,
            trust_remote_code: self.trust_remote_code,
            variants: self.variants,
            python: session.settings.python(),
            fail_on: self.fail_on.into_iter().map(FailOn::from).collect(),
            output: self.output,
            against: self.against,
            judge_from: self.judge_from,
            compatible: self.compat_json,
            forms: self.forms,
            measuring: self.measuring.options(),
        };
        Ok(Report::Bench(bench(&session.context, &options)?))
    }
}
