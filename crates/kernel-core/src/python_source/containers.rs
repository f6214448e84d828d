//! Lists, tuples and tables that are written out, and their elements.

use ruff_python_ast::{Expr, ExprCall, ExprSubscript};

use super::format;
use super::package::At;
use super::scopes::{Binding, MODULE, ScopeId, sequence};
use super::text::{Texts, either, unknown, whole};
use super::value::{Evaluator, Given};

impl<'a> Evaluator<'_, 'a> {
    pub(super) fn element(
        &self,
        subscript: &'a ExprSubscript,
        at: At,
        given: &Given<'a>,
        depth: usize,
    ) -> Texts {
        let keys = self.texts_within(&subscript.slice, at, given, depth - 1);
        let mut found = Vec::new();
        for (container, at) in self.containers(&subscript.value, at, depth - 1) {
            let mut all = Vec::new();
            let mut chosen = Vec::new();
            let is_key = |key: &str| keys.iter().any(|text| whole(text) == Some(key));
            match container {
                Expr::Dict(dict) => {
                    for item in &dict.items {
                        all.push(&item.value);
                        if let Some(Expr::StringLiteral(key)) = &item.key
                            && is_key(key.value.to_str())
                        {
                            chosen.push(&item.value);
                        }
                    }
                }
                Expr::Call(call) => {
                    for keyword in &call.arguments.keywords {
                        all.push(&keyword.value);
                        if keyword.arg.as_ref().is_some_and(|name| is_key(name.as_str())) {
                            chosen.push(&keyword.value);
                        }
                    }
                }
                other => {
                    for (place, element) in sequence(other).iter().enumerate() {
                        all.push(element);
                        if is_key(&place.to_string()) {
                            chosen.push(element);
                        }
                    }
                }
            }
            let values = if chosen.is_empty() { all } else { chosen };
            found.extend(values.into_iter().map(|value| self.texts_within(value, at, given, depth - 1)));
        }
        if !found.is_empty() {
            return either(found);
        }
        self.part(subscript, &keys, at, given, depth).unwrap_or_else(unknown)
    }

    /// `text.split("::")[0]` and its like.
    fn part(
        &self,
        subscript: &'a ExprSubscript,
        keys: &Texts,
        at: At,
        given: &Given<'a>,
        depth: usize,
    ) -> Option<Texts> {
        let call = subscript.value.as_call_expr()?;
        let method = call.func.as_attribute_expr()?;
        let [separator, ..] = &*call.arguments.args else { return None };
        let separator = self.texts_within(separator, at, given, depth - 1);
        if !separator.iter().all(|text| whole(text) == Some("::")) {
            return None;
        }
        let key = keys.iter().next().filter(|_| keys.len() == 1).and_then(|key| whole(key));
        // From the end where there is no number: `-1` is an operation.
        let is_first = key == Some("0");
        let is_last = match method.attr.as_str() {
            "split" | "rsplit" => key == Some("1") || key.is_none() && subscript.slice.is_unary_op_expr(),
            "partition" | "rpartition" => {
                key == Some("2") || key.is_none() && subscript.slice.is_unary_op_expr()
            }
            _ => return None,
        };
        let of = self.texts_within(&method.value, at, given, depth - 1);
        let parts: Option<Texts> = of.iter().map(|text| format::part(text, is_first, is_last)).collect();
        parts
    }

    /// The lists, tuples, sets and dictionaries that an expression may be, as far as they are written out.
    pub(super) fn containers(&self, expression: &'a Expr, at: At, depth: usize) -> Vec<(&'a Expr, At)> {
        if !self.may_go_on(depth) {
            return Vec::new();
        }
        match expression {
            Expr::List(_) | Expr::Tuple(_) | Expr::Set(_) | Expr::Dict(_) => vec![(expression, at)],
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::Generator(_) | Expr::Call(_) => {
                vec![(expression, at)]
            }
            Expr::Attribute(attribute) => {
                let assigned = self.package.modules[at.module].scopes.attribute(attribute.attr.as_str());
                let place = |scope: ScopeId| At { scope, ..at };
                let mut found: Vec<_> = assigned
                    .iter()
                    .flat_map(|(value, scope)| self.containers(value, place(*scope), depth - 1))
                    .collect();
                for path in self.paths_within(expression, at, depth - 1) {
                    found.extend(self.values_of(&path, depth));
                }
                found
            }
            Expr::Name(name) => {
                let Some(meaning) = self.meaning(at, name.id.as_str()) else { return Vec::new() };
                let inside = At { scope: meaning.scope, ..at };
                let mut found = Vec::new();
                for binding in meaning.bindings {
                    if let Binding::Value(value) = binding {
                        found.extend(self.containers(value, inside, depth - 1));
                    }
                }
                for path in meaning.imports {
                    found.extend(self.values_of(&self.package.canonical(at.module, path), depth));
                }
                found
            }
            _ => Vec::new(),
        }
    }

    /// The containers that a module's variable may be.
    fn values_of(&self, path: &str, depth: usize) -> Vec<(&'a Expr, At)> {
        let Some((module, names)) = self.package.split(path) else { return Vec::new() };
        let [name] = names.as_slice() else { return Vec::new() };
        let Some(meaning) = self.package.modules[module].scopes.own_meaning(MODULE, name) else {
            return Vec::new();
        };
        let at = At { module, scope: MODULE };
        let values = meaning.bindings.iter().filter_map(|binding| match binding {
            Binding::Value(value) => Some(*value),
            _ => None,
        });
        values.flat_map(|value| self.containers(value, at, depth - 1)).collect()
    }

    /// The elements of everything that an expression may be; `None` where it may be something that is not written out.
    pub(super) fn elements(&self, expression: &'a Expr, at: At, depth: usize) -> Option<Vec<(&'a Expr, At)>> {
        let containers = self.containers(expression, at, depth.checked_sub(1)?);
        let mut elements = Vec::new();
        for (container, at) in &containers {
            let at = *at;
            match container {
                Expr::ListComp(comprehension) => elements.push((&*comprehension.elt, at)),
                Expr::SetComp(comprehension) => elements.push((&*comprehension.elt, at)),
                Expr::Generator(comprehension) => elements.push((&*comprehension.elt, at)),
                Expr::Dict(dict) => {
                    for item in &dict.items {
                        elements.push((item.key.as_ref()?, at));
                    }
                }
                Expr::Call(call) => elements.extend(self.passed_through(call, at, depth)?),
                other => {
                    for element in sequence(other) {
                        match element {
                            Expr::Starred(starred) => {
                                elements.extend(self.elements(&starred.value, at, depth - 1)?);
                            }
                            element => elements.push((element, at)),
                        }
                    }
                }
            }
        }
        (!containers.is_empty()).then_some(elements)
    }

    /// The elements of a call that hands on those of its argument, such as `sorted(names)`, or of `table.values()`.
    fn passed_through(&self, call: &'a ExprCall, at: At, depth: usize) -> Option<Vec<(&'a Expr, At)>> {
        const HANDING_ON: [&str; 6] = ["list", "tuple", "set", "frozenset", "sorted", "reversed"];
        let functions = self.paths_within(&call.func, at, depth.checked_sub(1)?);
        let hands_on = HANDING_ON.iter().any(|name| functions.contains(&format!("builtins.{name}")));
        if let (Some(argument), true) = (call.arguments.args.first(), hands_on) {
            return self.elements(argument, at, depth - 1);
        }
        let Expr::Attribute(method) = &*call.func else { return None };
        let mut elements = Vec::new();
        for (container, at) in self.containers(&method.value, at, depth - 1) {
            let Expr::Dict(dict) = container else { return None };
            for item in &dict.items {
                match method.attr.as_str() {
                    "values" => elements.push((&item.value, at)),
                    "keys" => elements.push((item.key.as_ref()?, at)),
                    _ => return None,
                }
            }
        }
        (!elements.is_empty()).then_some(elements)
    }
}
