//! For people: the answer on standard output, everything else on standard error. On a terminal one line at the bottom
//! shows what goes on; elsewhere every event is a whole line.

use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use kernel_spec::event::{Event, Stage};
use kernel_spec::report::Report;

use super::answer;
use super::page::{DIM, Page, TITLE};
use super::problem;
use super::stream::Stream;
use super::{Choices, Color};

pub(super) struct Human {
    answers: Arc<Stream>,
    remarks: Stream,
    quiet: bool,
    activity: ProgressBar,
}

impl Human {
    pub(super) fn new(answers: Arc<Stream>, choices: Choices) -> Self {
        let remarks = Stream::standard_error(choices.color);
        let activity = if remarks.is_terminal() && !choices.quiet {
            activity_line(choices.color)
        } else {
            ProgressBar::hidden()
        };
        Self { answers, remarks, quiet: choices.quiet, activity }
    }

    pub(super) fn event(&self, event: &Event) {
        match event {
            // The compiler's own lines were shown.
            Event::Start { .. } | Event::Diagnostic { .. } => {}
            Event::Stage { stage, variant, message } => self.stage(*stage, variant.as_deref(), message),
            Event::Progress { done, total, message } => self.progress(*done, *total, message),
            Event::Log { origin, line } => {
                let mut page = Page::new();
                page.add_in(DIM, format!("{origin}: ")).line(line);
                self.remark(&page);
            }
            Event::Finding(finding) => self.remark(&problem::finding(finding)),
            Event::Report(report) => {
                self.activity.finish_and_clear();
                // A program that was run has standard output for itself.
                let is_beside = matches!(report, Report::Run(run) if run.compared.is_none());
                let stream = if is_beside { &self.remarks } else { &*self.answers };
                stream.write(answer::render(report).text());
            }
            Event::Error(failure) => {
                self.activity.finish_and_clear();
                self.remarks.write(problem::failure(failure).text());
            }
        }
    }

    fn stage(&self, stage: Stage, variant: Option<&str>, message: &str) {
        let word = answer::stage_word(stage);
        // A message that only repeats the word says nothing.
        let message = if message == word { "" } else { message };
        let parts: Vec<&str> =
            [variant.unwrap_or_default(), message].into_iter().filter(|part| !part.is_empty()).collect();
        let about = parts.join(": ");
        self.activity.set_length(0);
        self.activity.set_message(format!("{word} {about}"));
        self.activity.tick();
        let mut page = Page::new();
        page.add_in(TITLE, format!("{word:>8} ")).line(about);
        self.remark(&page);
    }

    fn progress(&self, done: u64, total: u64, message: &str) {
        if !self.activity.is_hidden() {
            self.activity.set_length(total);
            self.activity.set_position(done);
            self.activity
                .set_message(message.chars().filter(|character| !character.is_control()).collect::<String>());
            return;
        }
        let mut page = Page::new();
        page.add_in(DIM, format!("[{done}/{total}] ")).line(message);
        self.remark(&page);
    }

    fn remark(&self, page: &Page) {
        if !self.quiet {
            self.activity.suspend(|| self.remarks.write(page.text()));
        }
    }
}

fn activity_line(color: Color) -> ProgressBar {
    let template = match color {
        Color::Never => "{spinner} {pos}/{len} {wide_msg}",
        _ => "{spinner:.cyan} {pos}/{len} {wide_msg}",
    };
    let style =
        ProgressStyle::with_template(template).expect("the template is constant").tick_chars("-\\|/ ");
    ProgressBar::new(0).with_style(style)
}
