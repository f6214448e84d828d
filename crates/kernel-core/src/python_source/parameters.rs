//! What callers may hand to a function, and whether another function takes all of it.

use ruff_python_ast::{ParameterWithDefault, Parameters as Written};

/// A parameter with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parameter {
    name: String,
    /// Whether it has a default.
    is_optional: bool,
}

/// The parameters of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// Given by their place; from `named` on by their name as well.
    by_place: Vec<Parameter>,
    /// How many of them are before a `/`, and have no name for callers.
    named: usize,
    /// Given by their name alone.
    by_name: Vec<Parameter>,
    /// `*args`: any number more by their place.
    more_places: bool,
    /// `**kwargs`: any more by their name.
    more_names: bool,
}

impl Parameters {
    pub(super) fn of(written: &Written) -> Self {
        let read = |parameter: &ParameterWithDefault| Parameter {
            name: parameter.name().to_string(),
            is_optional: parameter.default.is_some(),
        };
        Self {
            by_place: written.posonlyargs.iter().chain(&written.args).map(read).collect(),
            named: written.posonlyargs.len(),
            by_name: written.kwonlyargs.iter().map(read).collect(),
            more_places: written.vararg.is_some(),
            more_names: written.kwarg.is_some(),
        }
    }

    /// Whether every call that these allow is allowed by the new ones.
    pub fn are_kept_by(&self, new: &Self) -> bool {
        let is_kept = |old: &Parameter, new: &Parameter| new.is_optional || !old.is_optional;
        let by_place = self.by_place.iter().enumerate().all(|(at, old)| match new.by_place.get(at) {
            Some(now) => is_kept(old, now) && (at < self.named || at >= new.named && now.name == old.name),
            None => new.more_places && (at < self.named || new.more_names),
        });
        let by_name = self.by_name.iter().all(|old| match new.find(&old.name) {
            Some(now) => is_kept(old, now),
            None => new.more_names,
        });
        let is_given = |name: &str| self.by_name.iter().any(|old| !old.is_optional && old.name == name);
        let places_given = new.by_place.iter().enumerate().all(|(at, now)| {
            now.is_optional || at < self.by_place.len() || at >= new.named && is_given(&now.name)
        });
        let names_given = new.by_name.iter().all(|now| now.is_optional || is_given(&now.name));
        by_place
            && by_name
            && places_given
            && names_given
            && (new.more_places || !self.more_places)
            && (new.more_names || !self.more_names)
    }

    /// The parameter that a name is given to.
    fn find(&self, name: &str) -> Option<&Parameter> {
        self.by_place[self.named..].iter().chain(&self.by_name).find(|parameter| parameter.name == name)
    }
}
