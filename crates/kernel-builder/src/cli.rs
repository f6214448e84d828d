//! The command line: global options, the list of commands, and how a wrong line is refused. Every command is one line
//! in `commands!`; its own options live in its file.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use kernel_spec::code;
use kernel_spec::report::Failure;

use crate::commands::{self, Answer, Run};
use crate::output::{Choices, Color};
use crate::session::Session;
use crate::settings::Layer;

/// Declares the commands and sends each call to its file.
macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident($module:ident),)*) => {
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($(#[$attribute])* $name(commands::$module::Arguments),)*
        }

        impl Run for Command {
            fn flags(&self) -> Layer {
                match self { $(Command::$name(arguments) => arguments.flags(),)* }
            }

            fn run(self, session: &Session) -> Answer {
                match self { $(Command::$name(arguments) => arguments.run(session),)* }
            }
        }
    };
}

commands! {
    Init(init),
    #[command(visible_alias = "check-config")]
    Check(check),
    #[command(visible_alias = "check-builds")]
    CheckAbi(check_abi),
    Inspect(inspect),
    #[command(visible_alias = "build-and-copy")]
    Build(build),
    Plan(plan),
    Test(test),
    Bench(bench),
    Validate(validate),
    #[command(visible_alias = "fill-card")]
    Card(card),
    Status(status),
    Collect(collect),
    Sign(sign),
    #[command(alias = "verify-signature")]
    Verify(verify),
    Upload(upload),
    Audit(audit),
    Pin(pin),
    Run(run),
    Shell(shell),
    Clean(clean),
    #[command(visible_alias = "update-build")]
    Migrate(migrate),
    Doctor(doctor),
    Hash(hash),
    Explain(explain),
    Completions(completions),
    // For packagers; the list must fit one screen.
    #[command(hide = true)]
    Manual(manual),
    Schema(schema),
    #[command(alias = "list-variants")]
    Variants(variants),
    Toolchain(toolchain),
    Skills(skills),
    Ide(ide),
    #[command(hide = true)]
    NixStep(nix_step),
}

/// Build, prove and publish compute kernels; `kernel-builder COMMAND --help` has examples.
#[derive(Debug, Parser)]
#[command(
    name = "kernel-builder",
    version = concat!(env!("CARGO_PKG_VERSION"), " (", env!("KERNEL_BUILDER_COMMIT"), ")"),
    arg_required_else_help = true,
    max_term_width = 120
)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Write JSON Lines to standard output: `start` first, `report` or `error` last
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say nothing but the answer and errors
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Log what the program does, for its developers; repeat for more
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// When to colour
    #[arg(long, global = true, value_name = "WHEN")]
    color: Option<Color>,
    /// Never use the network
    #[arg(long, global = true)]
    offline: bool,
}

impl Global {
    /// The settings that these options are.
    pub(crate) fn flags(&self) -> Layer {
        let mut layer = Layer::new();
        layer.set_if("quiet", self.quiet.then_some(true));
        layer.set_if("offline", self.offline.then_some(true));
        layer.set_if("color", self.color.map(|color| color.to_string()));
        layer
    }
}

/// A well-formed call.
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) line: CommandLine,
}

/// Why there is no call.
pub(crate) enum Refusal {
    /// A page was asked for: help or the version.
    Page(Box<clap::Error>),
    /// The line is wrong.
    Usage { output: Choices, command: String, failure: Box<Failure> },
}

impl Call {
    /// Reads the process's command line.
    pub(crate) fn parse() -> Result<Call, Refusal> {
        let line: Vec<OsString> = std::env::args_os().collect();
        let parsed = CommandLine::command().try_get_matches_from(&line).and_then(|matches| {
            let name = matches.subcommand_name().unwrap_or_default().to_owned();
            CommandLine::from_arg_matches(&matches).map(|line| Call { name, line })
        });
        parsed.map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Refusal::Page(Box::new(error)),
            _ => refuse(&line, &error),
        })
    }
}

/// A wrong line may still have asked for JSON, and then deserves it.
fn refuse(line: &[OsString], error: &clap::Error) -> Refusal {
    let before_separator = || line.iter().skip(1).take_while(|word| *word != "--");
    let output = Choices { json: before_separator().any(|word| word == "--json"), ..Choices::default() };
    let root = CommandLine::command();
    let command = before_separator()
        .filter_map(|word| word.to_str())
        .find_map(|word| root.find_subcommand(word))
        .map(|command| command.get_name().to_owned())
        .unwrap_or_default();
    let (message, tips) = split(&error.render().to_string());
    let mut failure = Box::new(Failure::new(&code::internal::USAGE, message));
    failure.help = if tips.is_empty() { format!("see `{}`", help_of(&command)) } else { tips };
    Refusal::Usage { output, command, failure }
}

fn help_of(command: &str) -> String {
    let words = ["kernel-builder", command, "--help"];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Brings the parser's text into our form: the message is what stands before the first empty line, tips are the help.
fn split(text: &str) -> (String, String) {
    let ours = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('\'', "`");
    let mut parts = text.split("\n\n");
    let message = ours(parts.next().unwrap_or_default()).trim_start_matches("error: ").to_owned();
    let tips: Vec<String> =
        parts.flat_map(str::lines).filter_map(|line| line.trim().strip_prefix("tip: ")).map(ours).collect();
    (message, tips.join("; "))
}
