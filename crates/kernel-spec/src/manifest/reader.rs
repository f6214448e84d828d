//! Reading typed values out of the tree: every fault becomes a finding with its place, and reading goes on.

use std::ops::Range;

use serde_spanned::Spanned;
use toml::de::{DeTable, DeValue};

use super::Edition;
use super::keys::{self, Key};
use super::statements::Lost;
use crate::finding::Label;
use crate::suggest::{closest, listed};
use crate::{Code, Finding, Located, SourceText, Span, Version, code};

/// A text being read, and what there is to say about it so far.
pub(crate) struct Reader<'s> {
    source: &'s SourceText,
    /// The edition whose rules apply.
    pub(crate) edition: Edition,
    /// What only seems to be missing.
    pub(crate) lost: Lost,
    pub(crate) findings: Vec<Finding>,
}

/// A finding that was just reported, for more to be said about it.
pub(crate) struct Said<'f>(&'f mut Finding);

impl Said<'_> {
    pub(crate) fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.0.help = help.into();
        self
    }

    pub(crate) fn cause(&mut self, cause: impl Into<String>) -> &mut Self {
        self.0.causes.push(cause.into());
        self
    }

    pub(crate) fn also(&mut self, span: Span, text: &str) -> &mut Self {
        self.0.related.push(Label { span, text: text.to_owned() });
        self
    }
}

/// A table with its dotted name and the place of its header.
#[derive(Clone)]
pub(crate) struct Section<'t> {
    pub(crate) name: String,
    pub(crate) place: Range<usize>,
    pub(crate) table: &'t DeTable<'t>,
}

impl<'t> Section<'t> {
    pub(crate) fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table.get(key)
    }

    /// The table's entries in the order of the file.
    pub(crate) fn entries(&self) -> Vec<(&'t str, Range<usize>, &'t Spanned<DeValue<'t>>)> {
        let entry =
            |(key, value): (&'t Spanned<_>, _)| (AsRef::<str>::as_ref(key.get_ref()), key.span(), value);
        let mut entries: Vec<_> = self.table.iter().map(entry).collect();
        entries.sort_by_key(|(_, place, _)| place.start);
        entries
    }

    /// The table as people write it; the whole file has no such name.
    pub(crate) fn title(&self) -> String {
        format!("`[{}]`", self.name)
    }

    pub(crate) fn dotted(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }
}

impl<'s> Reader<'s> {
    pub(crate) fn new(source: &'s SourceText, edition: Edition) -> Self {
        Self { source, edition, lost: Lost::default(), findings: Vec::new() }
    }

    /// A table as people write it.
    fn title(&self, section: &Section<'_>) -> String {
        match (section.name.is_empty(), self.source.path().rsplit('/').next()) {
            (true, Some(file)) => format!("`{file}`"),
            _ => section.title(),
        }
    }

    pub(crate) fn span(&self, place: &Range<usize>) -> Span {
        self.source.span(place.clone())
    }

    /// Adds an error at a place and returns it for more to be said.
    pub(crate) fn error(&mut self, code: &'static Code, place: &Range<usize>, message: String) -> Said<'_> {
        let finding = Finding::error(code, message).at(self.span(place));
        Said(self.findings.push_mut(finding))
    }

    /// Adds a warning at a place and returns it for more to be said.
    pub(crate) fn warning(&mut self, code: &'static Code, place: &Range<usize>, message: String) -> Said<'_> {
        let finding = Finding::warning(code, message).at(self.span(place));
        Said(self.findings.push_mut(finding))
    }

    /// Reports keys that are unknown, too new for the edition, or missing.
    pub(crate) fn check_keys(
        &mut self,
        section: &Section<'_>,
        known: impl IntoIterator<Item = &'static Key>,
    ) {
        let known: Vec<&'static Key> = known.into_iter().collect();
        let mut misspelt = Vec::new();
        for (name, place, _) in section.entries() {
            match known.iter().find(|key| key.name == name) {
                None => misspelt.extend(self.unknown_key(section, name, &place, &known)),
                Some(key) if key.since > self.edition => {
                    self.needs_five(&place, format!("`{}`", section.dotted(name)));
                }
                Some(_) => {}
            }
        }
        let edition = self.edition;
        let absent =
            |key: &&&Key| key.required.is_some_and(|from| from <= edition) && section.get(key.name).is_none();
        let missing: Vec<&Key> = known.iter().filter(absent).copied().collect();
        for key in missing {
            // What is there under a wrong name, or in a line that could not be read, is not missing.
            if !misspelt.contains(&key.name) && !self.lost.may_hold(&section.name, key.name) {
                self.missing_key(section, key.name);
            }
        }
    }

    /// Reports something that files without `edition = 5` do not have.
    pub(crate) fn needs_five(&mut self, place: &Range<usize>, what: String) {
        self.error(
            &code::manifest::EDITION,
            place,
            format!("{what} needs edition 5, and this file has no `edition`"),
        )
        .help("add `edition = 5` to `[general]`, or run `kernel-builder migrate`");
    }

    /// Reports a key that cannot stand here; returns the one that was probably meant.
    fn unknown_key(
        &mut self,
        section: &Section<'_>,
        name: &str,
        place: &Range<usize>,
        known: &[&Key],
    ) -> Option<&'static str> {
        let usable = known.iter().filter(|key| key.since <= self.edition && section.get(key.name).is_none());
        let names: Vec<&'static str> = usable.map(|key| key.name).collect();
        let near = closest(name, names.iter().copied());
        let meant = names.iter().copied().find(|known| Some(*known) == near);
        let help = match (meant, keys::owner_of(name)) {
            (_, Some(backend)) if section.name.starts_with("kernel.") => {
                format!("`{name}` is for components with `backend = \"{backend}\"`; remove it here")
            }
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, _) if names.is_empty() => format!("remove it; {} has no other keys", self.title(section)),
            (None, _) => format!("remove it; keys that could stand here are {}", listed(names)),
        };
        let message = format!("unknown key `{name}` in {}", self.title(section));
        self.error(&code::manifest::UNKNOWN_KEY, place, message).help(help);
        meant
    }

    fn missing_key(&mut self, section: &Section<'_>, name: &str) {
        let message = format!("{} has no `{name}`", self.title(section));
        let help = match name {
            "general" => {
                "a manifest begins with `[general]`; `kernel-builder init` writes a whole one".to_owned()
            }
            "license" => "add a licence identifier, for example `license = \"Apache-2.0\"`".to_owned(),
            "version" => "add the major version of the kernel, for example `version = 1`".to_owned(),
            "backends" => "add the backends to build for, for example `backends = [\"cpu\"]`".to_owned(),
            "depends" => "add what the component is compiled against: `depends = [\"torch\"]`".to_owned(),
            "src" => "add the list of sources and headers: `src = [\"…\"]`".to_owned(),
            _ => format!("add `{name}` to {}", self.title(section)),
        };
        let may_be_three = self.edition == Edition::Four && matches!(name, "license" | "version");
        let migration = "; a file of edition 3 is brought up to date by `kernel-builder migrate --from 3`";
        let help = if may_be_three { help + migration } else { help };
        self.error(&code::manifest::MISSING_KEY, &section.place, message).help(help);
    }

    pub(crate) fn wrong_type(
        &mut self,
        section: &Section<'_>,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        expected: &str,
    ) {
        let found = describe(value.get_ref());
        let message = format!("`{}` is {found}, but {expected} is expected", section.dotted(key));
        let text = self.source.text().get(value.span()).unwrap_or_default();
        let help = match (value.get_ref(), expected) {
            (DeValue::String(_), "a list of strings") => format!("put it in brackets: `{key} = [{text}]`"),
            (DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_), "a string" | "a version") => {
                format!("put it in quotes: `{key} = \"{text}\"`")
            }
            (DeValue::String(content), "a whole number") if content.parse::<u64>().is_ok() => {
                format!("remove the quotes: `{key} = {content}`")
            }
            _ => format!("write {expected} for `{key}`"),
        };
        self.error(&code::manifest::TYPE, &value.span(), message).help(help);
    }

    /// A string.
    pub(crate) fn text(&mut self, section: &Section<'_>, key: &str) -> Option<Located<String>> {
        let value = section.get(key)?;
        let DeValue::String(text) = value.get_ref() else {
            self.wrong_type(section, key, value, "a string");
            return None;
        };
        Some(Located::new(text.to_string(), value.span()))
    }

    /// A list of strings; `None` where the key is absent or no list. Elements of other types are reported and left out.
    pub(crate) fn texts(&mut self, section: &Section<'_>, key: &str) -> Option<Vec<Located<String>>> {
        let value = section.get(key)?;
        let DeValue::Array(elements) = value.get_ref() else {
            self.wrong_type(section, key, value, "a list of strings");
            return None;
        };
        let mut texts = Vec::with_capacity(elements.len());
        for element in elements {
            match element.get_ref() {
                DeValue::String(text) => texts.push(Located::new(text.to_string(), element.span())),
                other => {
                    let found = describe(other);
                    let message =
                        format!("`{}` holds {found}, but only strings are expected", section.dotted(key));
                    self.error(&code::manifest::TYPE, &element.span(), message)
                        .help("put the element in quotes or remove it");
                }
            }
        }
        Some(texts)
    }

    /// A whole number from 0.
    pub(crate) fn count(&mut self, section: &Section<'_>, key: &str) -> Option<Located<u64>> {
        let value = section.get(key)?;
        let DeValue::Integer(integer) = value.get_ref() else {
            self.wrong_type(section, key, value, "a whole number");
            return None;
        };
        let number =
            i64::from_str_radix(integer.as_str(), integer.radix()).ok().and_then(|n| u64::try_from(n).ok());
        if number.is_none() {
            let message = format!("`{}` is out of range", section.dotted(key));
            self.error(&code::manifest::VALUE, &value.span(), message)
                .help("write a number from 0 to 9223372036854775807");
        }
        Some(Located::new(number?, value.span()))
    }

    /// A whole number, also below 0.
    pub(crate) fn integer(&mut self, section: &Section<'_>, key: &str) -> Option<i64> {
        let value = section.get(key)?;
        let number = value
            .get_ref()
            .as_integer()
            .and_then(|integer| i64::from_str_radix(integer.as_str(), integer.radix()).ok());
        if number.is_none() {
            self.wrong_type(section, key, value, "a whole number");
        }
        number
    }

    /// A truth value.
    pub(crate) fn flag(&mut self, section: &Section<'_>, key: &str) -> Option<bool> {
        let value = section.get(key)?;
        let DeValue::Boolean(flag) = value.get_ref() else {
            self.wrong_type(section, key, value, "a truth value");
            return None;
        };
        Some(*flag)
    }

    /// A number from 0, whole or with a fraction.
    pub(crate) fn number(&mut self, section: &Section<'_>, key: &str) -> Option<f64> {
        let value = section.get(key)?;
        let number: Option<f64> = match value.get_ref() {
            DeValue::Integer(integer) => integer.as_str().parse().ok(),
            DeValue::Float(float) => float.as_str().parse().ok(),
            _ => {
                self.wrong_type(section, key, value, "a number");
                return None;
            }
        };
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        if number.is_none() {
            let message = format!("`{}` is out of range", section.dotted(key));
            self.error(&code::manifest::VALUE, &value.span(), message).help("write a finite number from 0");
        }
        number
    }

    /// The tables of a list of them, whose keys are checked.
    pub(crate) fn tables<'t>(
        &mut self,
        parent: &Section<'t>,
        key: &str,
        known: &'static [Key],
    ) -> Vec<Section<'t>> {
        let Some(value) = parent.get(key) else { return Vec::new() };
        let DeValue::Array(elements) = value.get_ref() else {
            self.wrong_type(parent, key, value, "a list of tables");
            return Vec::new();
        };
        let mut sections = Vec::new();
        for element in elements {
            let DeValue::Table(table) = element.get_ref() else {
                self.wrong_type(parent, key, element, "a list of tables");
                continue;
            };
            let section = Section { name: parent.dotted(key), place: element.span(), table };
            self.check_keys(&section, known);
            sections.push(section);
        }
        sections
    }

    /// A version.
    pub(crate) fn version(&mut self, section: &Section<'_>, key: &str) -> Option<Located<Version>> {
        let value = section.get(key)?;
        let DeValue::String(text) = value.get_ref() else {
            self.wrong_type(section, key, value, "a version");
            return None;
        };
        match text.parse() {
            Ok(version) => Some(Located::new(version, value.span())),
            Err(error) => {
                let error: crate::version::VersionError = error;
                self.error(&code::manifest::VERSION, &value.span(), error.to_string());
                None
            }
        }
    }

    /// A table, whose keys are checked.
    pub(crate) fn table<'t>(
        &mut self,
        parent: &Section<'t>,
        key: &str,
        known: &'static [Key],
    ) -> Option<Section<'t>> {
        let section = self.bare_table(parent, key)?;
        self.check_keys(&section, known);
        Some(section)
    }

    /// A table with keys of any name.
    pub(crate) fn bare_table<'t>(&mut self, parent: &Section<'t>, key: &str) -> Option<Section<'t>> {
        let (name, place) = parent.table.get_key_value(key).map(|(name, value)| (name, value.span()))?;
        let value = parent.get(key)?;
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong_type(parent, key, value, "a table");
            return None;
        };
        let place = if place.is_empty() { name.span() } else { place };
        Some(Section { name: parent.dotted(key), place, table })
    }
}

/// A value's type for people.
pub(crate) fn describe(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "a truth value",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
