//! The log of the loop: every event as a line of JSON in a file, so that the report can be short. Only what stage is on
//! goes further, to whoever watches.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::{Event, Finding, Sink};

use crate::atomic::Pending;
use crate::{Context, workspace_lock};

/// Name of the file, in the project's state directory.
const FILE: &str = "validate.jsonl";

/// The log of one run.
pub(super) struct Log {
    keeper: Arc<Keeper>,
    path: Utf8PathBuf,
}

struct Keeper {
    outer: Arc<dyn Sink>,
    state: Mutex<State>,
}

struct State {
    file: Option<Pending>,
    fault: Option<std::io::Error>,
    remarks: Vec<Finding>,
}

impl Log {
    pub(super) fn begin(context: &Context, project: &Utf8Path) -> std::io::Result<Self> {
        let path = project.join(workspace_lock::DIRECTORY).join(FILE);
        let state = State { file: Some(Pending::begin(&path)?), fault: None, remarks: Vec::new() };
        Ok(Self {
            keeper: Arc::new(Keeper { outer: Arc::clone(&context.sink), state: Mutex::new(state) }),
            path,
        })
    }

    /// The same world, with this log as the listener.
    pub(super) fn listen(&self, context: &Context) -> Context {
        Context {
            sink: Arc::<Keeper>::clone(&self.keeper),
            environment: context.environment.clone(),
            working_directory: context.working_directory.clone(),
            now: context.now,
            source_date: context.source_date,
            offline: context.offline,
            cancelled: context.cancelled.clone(),
        }
    }

    /// Findings that came as events, on the way.
    pub(super) fn remarks(&self) -> Vec<Finding> {
        std::mem::take(&mut self.keeper.state().remarks)
    }

    /// Writes a finding of a report down whole.
    pub(super) fn keep(&self, finding: &Finding) {
        self.keeper.write(&Event::Finding(finding.clone()));
    }

    /// Puts the file into its place.
    pub(super) fn end(self) -> std::io::Result<Utf8PathBuf> {
        let (file, fault) = {
            let mut state = self.keeper.state();
            (state.file.take(), state.fault.take())
        };
        match (file, fault) {
            (_, Some(fault)) => Err(fault),
            (Some(file), None) => file.finish().map(|()| self.path),
            (None, None) => Ok(self.path),
        }
    }
}

impl Keeper {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, event: &Event) {
        let mut state = self.state();
        if state.fault.is_some() {
            return;
        }
        let State { file, fault, .. } = &mut *state;
        let written = serde_json::to_vec(event).map_err(std::io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            file.as_mut().map_or(Ok(()), |file| file.add(&line))
        });
        *fault = written.err();
    }
}

impl Sink for Keeper {
    fn event(&self, event: &Event) {
        match event {
            Event::Stage { .. } => self.outer.event(event),
            // It is written with those of the reports.
            Event::Finding(finding) => return self.state().remarks.push(finding.clone()),
            _ => {}
        }
        self.write(event);
    }
}
