//! How to measure: what `bench` and `validate` share.

use std::time::Duration;

use camino::Utf8PathBuf;
use clap::ValueEnum;
use kernel_bench::decision::Settings;
use kernel_core::bench::Options;
use kernel_core::verbs::bench::FailOn;

/// Options of measuring.
#[derive(Debug, clap::Args)]
pub(crate) struct Measuring {
    /// A workload, `Class.name`, or a pattern with `*`; repeat for more
    #[arg(short, long = "workload", value_name = "PATTERN")]
    workloads: Vec<String>,
    /// Seconds that measuring a variant may take
    #[arg(long, value_name = "SECONDS", default_value_t = 90, value_parser = super::seconds())]
    budget: u64,
    /// Seconds that a single step of a script may take
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = super::seconds())]
    timeout: u64,
    /// Measure exactly this many processes, at least 3, and look once. Without it: 6, and up to 24 where that is not enough
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
    /// Threads to compute with; without it the framework decides
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl Measuring {
    /// As the verbs take it.
    pub(crate) fn options(self) -> Options {
        let mut settings =
            Settings { alpha: self.alpha, margin: self.min_effect / 100.0, ..Settings::default() };
        settings.equivalence = 2.0 * settings.margin;
        if let Some(processes) = self.processes {
            settings.looks = vec![processes.into()];
        }
        Options {
            settings,
            workloads: self.workloads,
            budget: Duration::from_secs(self.budget),
            limit: Duration::from_secs(self.timeout),
            threads: self.threads,
            seed: self.seed,
            output: Utf8PathBuf::new(),
        }
    }
}

/// News of a benchmark that `--fail-on` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum News {
    Slower,
    NotFaster,
    Inconclusive,
}

impl From<News> for FailOn {
    fn from(news: News) -> Self {
        match news {
            News::Slower => FailOn::Slower,
            News::NotFaster => FailOn::NotFaster,
            News::Inconclusive => FailOn::Inconclusive,
        }
    }
}
