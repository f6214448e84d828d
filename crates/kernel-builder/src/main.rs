//! The voice of kernel-builder: the only crate that prints, colours and exits.

use std::process::ExitCode;

mod cli;
mod commands;
mod dumps;
mod exit;
mod failure;
mod logging;
mod output;
mod session;
mod settings;

fn main() -> ExitCode {
    dumps::forbid();
    exit::silence_panics();
    let call = match cli::Call::parse() {
        Ok(call) => call,
        Err(cli::Refusal::Page(page)) => return exit::after_page(&page),
        Err(cli::Refusal::Usage { output, command, failure }) => {
            return exit::after_failure(&output::Output::new(output), &command, failure);
        }
    };
    exit::after_command(call)
}
