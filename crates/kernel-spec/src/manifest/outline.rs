//! Every table and key of a text in order, with its full path. The TOML parser forgets where the first of two equal
//! keys stood; this remembers.

use std::borrow::Cow;
use std::ops::Range;

use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, parse_document};

/// One table header or key.
pub(super) struct Entry {
    pub(super) path: Vec<String>,
    pub(super) place: Range<usize>,
    pub(super) is_table: bool,
    position: usize,
}

/// The headers and keys of a text.
#[derive(Default)]
pub(super) struct Outline {
    entries: Vec<Entry>,
}

impl Outline {
    /// Reads a text, as far as it is TOML.
    pub(super) fn of(text: &str) -> Self {
        let source = Source::new(text);
        let mut events: Vec<Event> = Vec::new();
        let tokens = source.lex().into_vec();
        parse_document(&tokens, &mut |event| events.push(event), &mut ());
        let mut walk = Walk::default();
        for event in &events {
            walk.take(source, event);
        }
        walk.outline
    }

    /// The entry that begins at this byte.
    pub(super) fn at(&self, start: usize) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.place.start == start)
    }

    /// The first entry of the same path, if it is an earlier one.
    pub(super) fn first(&self, entry: &Entry) -> Option<&Entry> {
        let first = self.entries.iter().find(|other| other.path == entry.path)?;
        (first.position < entry.position).then_some(first)
    }

    /// Whether the key stands under a header that repeats an earlier one.
    pub(super) fn inside_repeated_table(&self, entry: &Entry) -> bool {
        let header = self.entries[..entry.position].iter().rev().find(|other| other.is_table);
        !entry.is_table && header.is_some_and(|header| self.first(header).is_some())
    }
}

/// The state of reading: the table that is open, the inline tables and lists within it, and the key so far.
#[derive(Default)]
struct Walk {
    outline: Outline,
    table: Vec<String>,
    containers: Vec<Vec<String>>,
    key: Vec<(String, Range<usize>)>,
    value_of: Option<Vec<String>>,
}

impl Walk {
    fn take(&mut self, source: Source<'_>, event: &Event) {
        let start = event.span().start();
        match event.kind() {
            EventKind::SimpleKey => {
                let mut name = Cow::Borrowed("");
                if let Some(raw) = source.get(event) {
                    raw.decode_key(&mut name, &mut ());
                }
                self.key.push((name.into_owned(), start..event.span().end()));
            }
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                self.key.clear();
                self.containers.clear();
                self.table.clear();
            }
            EventKind::StdTableClose => self.table = self.finish_key(true, None),
            EventKind::ArrayTableClose => self.table = self.finish_key(true, Some(start)),
            EventKind::KeyValSep => self.value_of = Some(self.finish_key(false, None)),
            EventKind::ArrayOpen | EventKind::InlineTableOpen => {
                let path = self.value_of.take().unwrap_or_else(|| {
                    let mut element = self.container().to_vec();
                    element.push(format!("#{start}"));
                    element
                });
                self.containers.push(path);
            }
            EventKind::ArrayClose | EventKind::InlineTableClose => {
                self.containers.pop();
            }
            EventKind::Scalar => self.value_of = None,
            _ => {}
        }
    }

    fn container(&self) -> &[String] {
        self.containers.last().unwrap_or(&self.table)
    }

    /// Records the key read so far; `element` makes it one of a list of tables, each of which is a table of its own.
    fn finish_key(&mut self, is_table: bool, element: Option<usize>) -> Vec<String> {
        let mut path = self.container().to_vec();
        let place = self.key.last().map_or(0..0, |(_, place)| place.clone());
        path.extend(self.key.drain(..).map(|(name, _)| name));
        path.extend(element.map(|start| format!("#{start}")));
        let position = self.outline.entries.len();
        self.outline.entries.push(Entry { path: path.clone(), place, is_table, position });
        path
    }
}
