//! How the process ends: every way out of the program passes here, says its last line and picks the exit status.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use kernel_spec::report::Failure;
use kernel_spec::{Event, event, panicked};

use crate::cli::Call;
use crate::commands::{Answer, Run};
use crate::failure::{self, Failed};
use crate::logging;
use crate::output::{Choices, Output};
use crate::session::Session;

/// A panic becomes an ordinary failure later; until then it must not write to standard error on its own. Developers are
/// told where; what it says comes later, without credentials.
pub(crate) fn silence_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(%place, "panicked");
    }));
}

/// Ends after a page of help or the version.
pub(crate) fn after_page(page: &clap::Error) -> ExitCode {
    let status = u8::try_from(page.exit_code()).unwrap_or(2);
    if page.use_stderr() {
        // Nothing can be said where standard error is gone.
        let _ = page.print();
        return ExitCode::from(status);
    }
    let output = Output::new(Choices::default());
    output.page(&page.render().ansi().to_string());
    ExitCode::from(output.close(status))
}

/// Runs a call and ends with its answer.
pub(crate) fn after_command(call: Call) -> ExitCode {
    let Call { name, line } = call;
    logging::start(line.global.verbose);
    let session = match Session::open(&line.global, line.command.flags()) {
        Ok(session) => session,
        Err((output, Failed(failure))) => return after_failure(&output, &name, failure),
    };
    let output = session.output.clone();
    output.send(&start(&name));
    let answer = catch_unwind(AssertUnwindSafe(|| line.command.run(&session)));
    let bug =
        |panic: Box<dyn Any + Send>| failure::bug(panicked::message(&*panic), &session.context.environment);
    let answer = answer.unwrap_or_else(|panic| Err(Failed(Box::new(bug(panic)))));
    let is_cut = session.context.cancelled.has_cut();
    finish(&output, if is_cut { Err(kernel_core::Error::Interrupted.into()) } else { answer })
}

/// Ends with a failure from before any command ran.
pub(crate) fn after_failure(output: &Output, command: &str, failure: Box<Failure>) -> ExitCode {
    output.send(&start(command));
    finish(output, Err(Failed(failure)))
}

fn start(command: &str) -> Event {
    Event::Start {
        schema: event::SCHEMA,
        tool: "kernel-builder".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: command.to_owned(),
    }
}

fn finish(output: &Output, answer: Answer) -> ExitCode {
    let status = match answer {
        Ok(report) => {
            let status = report.exit().status();
            output.send(&Event::Report(report));
            status
        }
        Err(Failed(failure)) => {
            let status = failure.exit;
            output.send(&Event::Error(*failure));
            status
        }
    };
    ExitCode::from(output.close(status))
}
