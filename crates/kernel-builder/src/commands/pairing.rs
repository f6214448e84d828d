//! How whole runs of a program are compared: options of `run --compare`.

use std::time::Duration;

use kernel_bench::decision::Settings;
use kernel_core::verbs::bench::FailOn;
use kernel_core::verbs::run::Comparing;

use super::measuring::News;

/// Options of comparing. (`requires = "compare"` would be content with another member of its group.)
#[derive(Debug, clap::Args)]
#[group(conflicts_with_all = ["verified", "switch", "share"])]
pub(crate) struct Pairing {
    /// Seconds that all runs may take
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = super::seconds())]
    budget: u64,
    /// Compare exactly this many pairs. Without it: 6, and up to 24 where that is not enough
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(3..))]
    pairs: Option<u16>,
    /// Probability of any false claim
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    alpha: f64,
    /// Smallest difference that counts, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    min_effect: f64,
    /// The seed of the order of runs
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// News that is to be a failure; repeat for more
    #[arg(long = "fail-on", value_name = "NEWS")]
    fail_on: Vec<News>,
}

impl Pairing {
    /// As the verb takes it.
    pub(crate) fn options(self) -> Comparing {
        let margin = self.min_effect / 100.0;
        let mut settings = Settings {
            alpha: self.alpha,
            margin,
            equivalence: 2.0 * margin,
            // A program has the size that it has.
            require_sizes: false,
            ..Settings::default()
        };
        if let Some(pairs) = self.pairs {
            settings.looks = vec![pairs.into()];
        }
        Comparing {
            settings,
            budget: Duration::from_secs(self.budget),
            seed: self.seed,
            fail_on: self.fail_on.into_iter().map(FailOn::from).collect(),
        }
    }
}
