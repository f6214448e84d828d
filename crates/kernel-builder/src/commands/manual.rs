//! `manual`: manual pages, generated from the command line's own definition.

use camino::Utf8PathBuf;
use clap::CommandFactory;
use clap_mangen::Man;
use kernel_core::{Error, atomic};
use kernel_spec::report::{ManualReport, Report};

use super::{Answer, Run};
use crate::cli::CommandLine;
use crate::session::Session;

/// Write the manual pages of the program and of every command
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder manual ~/.local/share/man/man1")]
pub(crate) struct Arguments {
    /// Directory for the pages
    #[arg(value_name = "DIR")]
    directory: Utf8PathBuf,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let directory = session.context.resolve(&self.directory);
        let mut root = CommandLine::command().disable_help_subcommand(true);
        root.build();
        let mut files = Vec::new();
        let mut open = vec![root];
        while let Some(command) = open.pop() {
            let name = command.get_display_name().unwrap_or("kernel-builder").replace(' ', "-");
            let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set());
            open.extend(shown.cloned());
            let mut page = Vec::new();
            Man::new(command).render(&mut page).map_err(Error::from)?;
            let path = directory.join(format!("{name}.1"));
            atomic::write(&path, &page).map_err(Error::from)?;
            files.push(path.into_string());
        }
        files.sort();
        Ok(Report::Manual(ManualReport { files }))
    }
}
