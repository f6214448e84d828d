//! The commands, one file each. A command file turns its clap arguments into a verb's options, calls the verb and
//! returns its report; it decides nothing about kernels and prints nothing.
//!
//! To add the command `frob`:
//! 1. `kernel-spec/src/report/frob.rs`: `FrobReport`, a line in `Report`, and its exit class in `Report::exit`;
//! 2. `commands/frob.rs`: `Arguments` (its doc comment is the help, an example in `after_help`) with `impl Run`;
//! 3. a line in `commands!` of `cli.rs`;
//! 4. `output/answer/frob.rs`: how people read the report, and its line in `output/answer/mod.rs`;
//! 5. `tests/it/frob.rs`: the real binary, snapshots of exit status, standard output and standard error.
//!
//! A verb's error needs no conversion: `?` takes anything that implements `miette::Diagnostic`. A finding that is part
//! of the answer belongs in the report; one that is only worth a remark on the way is an `Event::Finding`; never both.
//! Options that are also settings (`--jobs`, and `--python` of [`interpreter`]) stay `Option`, are named in `flags`, and
//! are then read from `session.settings`.

pub(crate) mod audit;
pub(crate) mod bench;
pub(crate) mod build;
pub(crate) mod card;
pub(crate) mod check;
pub(crate) mod check_abi;
pub(crate) mod clean;
pub(crate) mod collect;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod hash;
pub(crate) mod ide;
pub(crate) mod init;
pub(crate) mod inspect;
pub(crate) mod interpreter;
pub(crate) mod manual;
pub(crate) mod measuring;
pub(crate) mod migrate;
pub(crate) mod nix_step;
mod pairing;
pub(crate) mod pin;
pub(crate) mod plan;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod shell;
pub(crate) mod sign;
pub(crate) mod skills;
pub(crate) mod status;
pub(crate) mod test;
pub(crate) mod toolchain;
pub(crate) mod upload;
pub(crate) mod validate;
pub(crate) mod variants;
pub(crate) mod verify;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_core::Context;
use kernel_spec::report::Report;

use crate::failure::Failed;
use crate::session::Session;
use crate::settings::Layer;

/// Where reports about a directory go: beside it, or where the program was called if it is a published kernel.
fn place_of_reports(context: &Context, directory: &Utf8Path) -> Utf8PathBuf {
    let place: Utf8PathBuf = context.resolve(directory).components().collect();
    if place.is_dir() { place } else { context.working_directory.clone() }
}

/// Most seconds that may be asked for: a year. The clock could not count much more.
const LONGEST: u64 = 366 * 24 * 60 * 60;

/// Seconds as users give them.
fn seconds() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=LONGEST)
}

/// What a command returns.
pub(crate) type Answer = Result<Report, Failed>;

/// What a command can do.
pub(crate) trait Run {
    /// Those of its options that are settings; they override the environment and the user's file.
    fn flags(&self) -> Layer {
        Layer::new()
    }

    /// Does it.
    fn run(self, session: &Session) -> Answer;
}
