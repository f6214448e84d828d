//! Which step of which variant Ninja speaks of: it knows outputs and descriptions, users know sources and components.

use std::collections::BTreeMap;

use kernel_spec::Event;
use kernel_spec::diagnostic::Diagnostic;

use crate::engine::Job;
use crate::render::ninja::build_directory;

/// A step.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Step<'a> {
    pub(in crate::engine) variant: &'a str,
    /// Source and component; none for a link.
    pub(in crate::engine) compile: Option<(&'a str, &'a str)>,
}

/// The steps of all variants of a build.
#[derive(Debug, Default)]
pub(in crate::engine) struct Steps<'a> {
    by_output: BTreeMap<String, Step<'a>>,
    by_description: BTreeMap<String, Step<'a>>,
}

impl<'a> Steps<'a> {
    pub(in crate::engine) fn of(jobs: &'a [Job]) -> Self {
        let mut steps = Self::default();
        for job in jobs {
            let Some(library) = &job.plan.library else { continue };
            let variant = job.plan.variant.as_str();
            for step in &library.compile {
                let compile = Some((step.source.as_str(), step.component.as_str()));
                steps.add(&step.object, &step.title(), Step { variant, compile });
            }
            steps.add(&library.link.output, "link", Step { variant, compile: None });
        }
        steps
    }

    fn add(&mut self, output: &str, title: &str, step: Step<'a>) {
        self.by_output.insert(format!("{}/{output}", build_directory(step.variant)), step);
        self.by_description.insert(format!("{}: {title}", step.variant), step);
    }

    /// The step that makes this output.
    pub(in crate::engine) fn making(&self, output: &str) -> Option<Step<'a>> {
        self.by_output.get(output).copied()
    }

    /// What a compiler said in the step that is described so. The steps that are ours say nothing to users.
    pub(in crate::engine) fn event(&self, description: &str, diagnostic: Diagnostic) -> Option<Event> {
        let step = self.by_description.get(description)?;
        let (source, component) = step.compile.unzip();
        Some(Event::Diagnostic {
            variant: step.variant.to_owned(),
            source: source.map(str::to_owned),
            component: component.map(str::to_owned),
            diagnostic,
        })
    }
}
