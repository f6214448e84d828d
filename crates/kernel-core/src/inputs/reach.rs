//! Following `#include` from the listed sources through the project. Each source set has its own include directories,
//! so each is followed by itself; texts are read and cut once for all of them.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use kernel_spec::path::{is_confined, join, parent};
use kernel_spec::{Finding, SourceText, Span, code};

use super::directives::{self, Directive, Style};
use super::{Inputs, about};
use crate::Result;

/// The `#include` that reaches a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludedBy {
    /// The file it is in, relative to the project.
    pub file: String,
    /// Where in it.
    pub span: Span,
}

/// Source sets, followed.
pub(super) struct Reach<'a> {
    project: &'a Utf8Path,
    sets: Vec<SourceSet>,
    texts: BTreeMap<String, Option<Text>>,
    exists: BTreeMap<String, bool>,
}

struct SourceSet {
    sources: Vec<String>,
    include: Vec<String>,
}

struct Text {
    bytes: Vec<u8>,
    directives: Vec<Directive>,
}

impl<'a> Reach<'a> {
    pub(super) fn new(project: &'a Utf8Path) -> Self {
        Self { project, sets: Vec::new(), texts: BTreeMap::new(), exists: BTreeMap::new() }
    }

    /// Adds sources that are compiled with these include directories, all normalised.
    pub(super) fn add(&mut self, sources: Vec<String>, include: Vec<String>) {
        // A directory outside is refused where flags are made; here it only must not be looked into.
        let include = include.into_iter().filter(|directory| is_confined(directory)).collect();
        self.sets.push(SourceSet { sources, include });
    }

    /// Follows everything and puts it into `inputs`.
    pub(super) fn finish(mut self, inputs: &mut Inputs) -> Result<()> {
        let mut reported = BTreeSet::new();
        for set in std::mem::take(&mut self.sets) {
            self.follow(&set, inputs, &mut reported)?;
        }
        Ok(())
    }

    fn follow(
        &mut self,
        set: &SourceSet,
        inputs: &mut Inputs,
        reported: &mut BTreeSet<(String, usize)>,
    ) -> Result<()> {
        let mut waiting = Vec::new();
        for source in set.sources.iter().rev() {
            if self.is_usable(source, inputs) {
                inputs.files.entry(source.clone()).or_default().listed = true;
                waiting.push(source.clone());
            }
        }
        let mut seen = BTreeSet::new();
        while let Some(file) = waiting.pop() {
            if !seen.insert(file.clone()) {
                continue;
            }
            self.read(&file)?;
            let Some(Some(text)) = self.texts.remove(&file) else { continue };
            for directive in &text.directives {
                let span = || {
                    let lossy = String::from_utf8_lossy(&text.bytes);
                    SourceText::new(file.as_str(), lossy.as_ref()).span(directive.bytes.clone())
                };
                let found = self.resolve(&file, directive, &set.include);
                for target in found.inside {
                    let input = inputs.files.entry(target.clone()).or_default();
                    if input.included_by.is_none() && !input.listed {
                        input.included_by = Some(IncludedBy { file: file.clone(), span: span() });
                    }
                    waiting.push(target);
                }
                if (directive.style == Style::Computed || found.outside)
                    && reported.insert((file.clone(), directive.bytes.start))
                {
                    inputs.findings.push(complaint(&file, directive, span()));
                }
            }
            self.texts.insert(file, Some(text));
        }
        Ok(())
    }

    /// Whether a listed source is a file of the project; says why not where it is not.
    fn is_usable(&mut self, source: &str, inputs: &mut Inputs) -> bool {
        let finding = if !is_confined(source) {
            Finding::error(&code::inputs::OUTSIDE, format!("source `{source}` is not inside the project"))
        } else if self.is_file(source) {
            return true;
        } else if self.project.join(source).is_dir() {
            Finding::error(&code::inputs::MISSING, format!("source `{source}` is a directory"))
                .help("list each file of it")
        } else {
            Finding::error(&code::inputs::MISSING, format!("source `{source}` does not exist"))
        };
        inputs.findings.push(finding.about(about(source)));
        false
    }

    fn read(&mut self, file: &str) -> Result<()> {
        if !self.texts.contains_key(file) {
            let bytes = fs_err::read(self.project.join(file))?;
            let directives = directives::scan(&bytes);
            self.texts.insert(file.to_owned(), Some(Text { bytes, directives }));
        }
        Ok(())
    }

    fn is_file(&mut self, path: &str) -> bool {
        if let Some(known) = self.exists.get(path) {
            return *known;
        }
        let exists = self.project.join(path).is_file();
        self.exists.insert(path.to_owned(), exists);
        exists
    }

    /// The files of the project a directive may mean: the first in the order of the search; for `#include_next`, which
    /// starts somewhere in the middle, all but the file itself.
    fn resolve(&mut self, file: &str, directive: &Directive, include: &[String]) -> Found {
        let mut found = Found::default();
        if directive.style == Style::Computed || directive.name.is_empty() {
            return found;
        }
        if directive.name.starts_with('/') {
            found.outside = true;
            return found;
        }
        let own = (directive.style == Style::Quoted).then(|| parent(file));
        for directory in own.into_iter().chain(include.iter().map(String::as_str)) {
            let candidate = join(directory, &directive.name);
            if !is_confined(&candidate) {
                if self.project.join(&candidate).is_file() {
                    found.outside = true;
                    return found;
                }
                continue;
            }
            if self.is_file(&candidate) {
                if directive.next && candidate == file {
                    continue;
                }
                found.inside.push(candidate);
                if !directive.next {
                    return found;
                }
            }
        }
        found
    }
}

#[derive(Default)]
struct Found {
    inside: Vec<String>,
    outside: bool,
}

fn complaint(file: &str, directive: &Directive, span: Span) -> Finding {
    let name = directive.name.escape_debug();
    let finding = if directive.style == Style::Computed {
        Finding::warning(
            &code::inputs::COMPUTED_INCLUDE,
            format!("`{file}` includes a file whose name is computed: `{name}`"),
        )
    } else {
        Finding::error(
            &code::inputs::OUTSIDE,
            format!("`{file}` includes `{name}`, which is not inside the project"),
        )
    };
    finding.at(span).about(about(file))
}
