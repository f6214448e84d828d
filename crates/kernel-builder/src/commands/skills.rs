//! `skills`: see `kernel_core::verbs::skills`.

use camino::Utf8PathBuf;
use clap::Subcommand;
use kernel_core::verbs::skills::{AddOptions, Place, add, list};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Install what agents should know, from files that come with this program
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder skills add --claude")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Say which there are
    #[command(after_help = "Example:\n  kernel-builder skills list")]
    List,
    /// Write skills where agents look for them
    #[command(
        after_help = "Example:\n  kernel-builder skills add --skill kernel-loop --skill cuda-kernels --claude"
    )]
    Add(Add),
}

#[derive(Debug, clap::Args)]
struct Add {
    /// A skill; repeat for more. Without it: all
    #[arg(long = "skill", value_name = "NAME")]
    skills: Vec<String>,
    /// Into `.claude/skills`
    #[arg(long, required_unless_present_any = ["codex", "opencode", "dest"])]
    claude: bool,
    /// Into `.codex/skills`
    #[arg(long)]
    codex: bool,
    /// Into `.opencode/skills`
    #[arg(long)]
    opencode: bool,
    /// Into a directory of this name
    #[arg(long, value_name = "DIR")]
    dest: Option<Utf8PathBuf>,
    /// Into the user's own directories of these agents
    #[arg(short, long)]
    global: bool,
    /// Replace files that differ
    #[arg(long)]
    force: bool,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let wish = match self.what {
            What::List => return Ok(Report::Skills(list())),
            What::Add(wish) => wish,
        };
        let agents =
            [(wish.claude, Place::Claude), (wish.codex, Place::Codex), (wish.opencode, Place::OpenCode)];
        let agents = agents.into_iter().filter(|(wanted, _)| *wanted).map(|(_, place)| place);
        let options = AddOptions {
            skills: wish.skills,
            places: agents.chain(wish.dest.map(Place::Directory)).collect(),
            global: wish.global,
            force: wish.force,
        };
        Ok(Report::Skills(add(&session.context, &options)?))
    }
}
