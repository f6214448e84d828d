//! `schema`: the contracts that other programs may rely on, generated from the types that keep them.

use clap::ValueEnum;
use kernel_bench::report::Document;
use kernel_spec::report::{Report, SchemaReport};
use kernel_spec::{Event, manifest, workloads};

use super::{Answer, Run};
use crate::session::Session;

/// Print a JSON Schema
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder schema build.toml > build.schema.json")]
pub(crate) struct Arguments {
    /// What to describe: the manifest, declared operations, the lines of `--json`, the last of them, or the document that `bench` writes
    of: Subject,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Subject {
    #[value(name = "build.toml")]
    Manifest,
    #[value(name = "workloads.toml")]
    Workloads,
    Events,
    Report,
    BenchResult,
}

impl Run for Arguments {
    fn run(self, _session: &Session) -> Answer {
        let schema = match self.of {
            Subject::Manifest => manifest::schema(),
            Subject::Workloads => workloads::schema(),
            Subject::Events => schemars::schema_for!(Event).to_value(),
            Subject::Report => schemars::schema_for!(Report).to_value(),
            Subject::BenchResult => schemars::schema_for!(Document).to_value(),
        };
        let of = self.of.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        Ok(Report::Schema(SchemaReport { of, schema }))
    }
}
