//! `init`: a new project from the samples.

use camino::Utf8PathBuf;
use clap::ValueEnum;
use clap::builder::{NonEmptyStringValueParser, PossibleValue, TypedValueParser};
use kernel_core::scaffold::{Options, Sample, init};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Make a new kernel project that builds and passes its tests as it is
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  kernel-builder init relu --name acme/relu\n  \
                        kernel-builder init --name acme/relu --backends cpu,cuda --framework torch-stable")]
pub(crate) struct Arguments {
    /// Directory of the project [default: the name, or else the working directory]
    #[arg(value_parser = NonEmptyStringValueParser::new().map(Utf8PathBuf::from))]
    path: Option<Utf8PathBuf>,
    /// Owner and name of the kernel on the Hub [default: a placeholder and the last part of PATH]
    #[arg(long, value_name = "OWNER/NAME")]
    name: Option<String>,
    /// Backends to write sources for, or `all` [default: cpu, and all for torch-noarch]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    backends: Vec<String>,
    /// What the kernel binds to: one version of torch, its stable ABI, tvm-ffi, or torch through Triton [default: torch]
    #[arg(long, value_name = "NAME")]
    framework: Option<Framework>,
    /// Licence, as an identifier of SPDX or of the Hub [default: Apache-2.0]
    #[arg(long, value_name = "ID")]
    license: Option<String>,
    /// Replace files that exist, those of the project only; what is not named stays as its `build.toml` has it
    #[arg(long)]
    overwrite: bool,
}

#[derive(Clone, Copy, Debug)]
struct Framework(Sample);

impl ValueEnum for Framework {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Framework; Sample::ALL.len()] = {
            let mut all = [Framework(Sample::Torch); Sample::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = Framework(Sample::ALL[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let options = Options {
            path: self.path,
            name: self.name,
            sample: self.framework.map(|framework| framework.0),
            backends: self.backends,
            license: self.license,
            overwrite: self.overwrite,
        };
        Ok(Report::Init(init(&session.context, &options)?))
    }
}
