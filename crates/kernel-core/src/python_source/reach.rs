//! What a file names outside itself, by the full path of each name: whatever runs other code, opens connections or compiles
//! has to be named somewhere. A name that is put together while the program runs is not seen; the built-in functions by
//! which that is done are, and the module whose name it is.

use kernel_spec::Span;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Pattern, Stmt};
use ruff_text_size::Ranged;

use super::PythonSource;
use super::names::Names;

/// Something that is named, such as `subprocess.run`.
#[derive(Clone, Debug)]
pub struct Use {
    /// The path; of a built-in function its bare name, and of what everything has, such as `__globals__`, too. One that ends
    /// with `*` stands for any name of a module.
    pub path: String,
    /// Where.
    pub span: Span,
}

impl PythonSource {
    /// Everything that the file names, in its order.
    pub fn uses(&self) -> Vec<Use> {
        let names = Names::of(self);
        let mut uses = Uses { source: self, names: &names, found: Vec::new() };
        uses.visit_body(self.body());
        uses.found
    }
}

struct Uses<'a, 'n> {
    source: &'a PythonSource,
    names: &'n Names<'a>,
    found: Vec<Use>,
}

impl Uses<'_, '_> {
    /// The path of what is asked for by a text, or of an attribute of that: `vars(os)["system"]`, `os.__dict__["system"]`,
    /// `getattr(os, "system")`, `sys.modules["os"].system`.
    fn asked_for(&self, expression: &Expr) -> Option<String> {
        let (mut root, mut behind) = (expression, Vec::new());
        while let Expr::Attribute(attribute) = root {
            behind.push(attribute.attr.as_str());
            root = &attribute.value;
        }
        let (owner, name) = asked(root)?;
        let owner = self.names.path(owner).or_else(|| self.asked_for(owner))?;
        // Data types are asked for like this, by names that are put together.
        if name.is_none() && owner == "torch" {
            return None;
        }
        let first = name.unwrap_or("*");
        let mut path = if owner == "sys.modules" || owner.ends_with(".sys.modules") {
            first.to_owned()
        } else {
            format!("{owner}.{first}")
        };
        for part in behind.into_iter().rev() {
            path.push('.');
            path.push_str(part);
        }
        Some(path)
    }

    /// The attributes that a pattern asks for: `match os: case object(system=s)`.
    fn taken_apart(&mut self, owner: &str, pattern: &Pattern) {
        match pattern {
            Pattern::MatchClass(class) => {
                for keyword in &class.arguments.keywords {
                    let path = format!("{owner}.{}", keyword.attr.as_str());
                    self.taken_apart(&path, &keyword.pattern);
                    self.add(path, keyword);
                }
            }
            Pattern::MatchOr(any) => any.patterns.iter().for_each(|pattern| self.taken_apart(owner, pattern)),
            Pattern::MatchAs(named) => {
                named.pattern.iter().for_each(|pattern| self.taken_apart(owner, pattern));
            }
            _ => {}
        }
    }

    fn add(&mut self, path: String, node: &impl Ranged) {
        // What belongs to the package itself begins with a dot.
        if !path.starts_with('.') {
            self.found.push(Use { path, span: self.source.span(node) });
        }
    }
}

impl<'a> Visitor<'a> for Uses<'a, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.add(alias.name.to_string(), alias);
                }
            }
            Stmt::ImportFrom(import) if import.level == 0 => {
                let module = import.module.as_ref().map(ToString::to_string).unwrap_or_default();
                for alias in &import.names {
                    self.add(format!("{module}.{}", alias.name), alias);
                }
            }
            Stmt::Match(matched) => {
                if let Some(owner) = self.names.path(&matched.subject) {
                    matched.cases.iter().for_each(|case| self.taken_apart(&owner, &case.pattern));
                }
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match (self.names.path(expression), expression) {
            (Some(path), _) => return self.add(path, expression),
            (None, Expr::Name(name)) if self.names.values(name.id.as_str()).is_empty() => {
                self.add(name.id.to_string(), expression);
            }
            _ => {
                let special = special(expression).map(str::to_owned);
                if let Some(path) = self.asked_for(expression).or(special) {
                    self.add(path, expression);
                }
            }
        }
        walk_expr(self, expression);
    }
}

/// Whose attribute is asked for by a text, and that text where it is written out.
fn asked(expression: &Expr) -> Option<(&Expr, Option<&str>)> {
    match expression {
        Expr::Call(call) => match (&*call.func, &*call.arguments.args) {
            (Expr::Name(name), [owner, text, ..]) if name.id == "getattr" => Some((owner, literal(text))),
            (Expr::Attribute(method), [text, ..]) if TAKING.contains(&method.attr.as_str()) => {
                Some((owner(&method.value)?, literal(text)))
            }
            _ => None,
        },
        Expr::Subscript(subscript) => Some((owner(&subscript.value)?, literal(&subscript.slice))),
        _ => None,
    }
}

/// The methods of a dictionary that return what it holds.
const TAKING: &[&str] = &["get", "pop", "setdefault", "__getitem__"];

/// Whose attributes a dictionary holds: `vars(os)`, `os.__dict__`; of `sys.modules`, itself.
fn owner(dictionary: &Expr) -> Option<&Expr> {
    match dictionary {
        Expr::Attribute(attribute) if attribute.attr.as_str() == "__dict__" => Some(&attribute.value),
        Expr::Attribute(attribute) if attribute.attr.as_str() == "modules" => Some(dictionary),
        Expr::Call(call) => match (&*call.func, &*call.arguments.args) {
            (Expr::Name(name), [owner]) if name.id == "vars" => Some(owner),
            _ => None,
        },
        _ => None,
    }
}

/// A name of Python's own, of the form `__name__`, of anything: as an attribute, or as a text that is asked for.
fn special(expression: &Expr) -> Option<&str> {
    let name = match expression {
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        Expr::Subscript(subscript) => literal(&subscript.slice),
        _ => asked(expression)?.1,
    };
    name.filter(|name| name.starts_with("__") && name.ends_with("__"))
}

fn literal(expression: &Expr) -> Option<&str> {
    expression.as_string_literal_expr().map(|text| text.value.to_str())
}
