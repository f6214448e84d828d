//! Operators must be registered under the kernel's own namespace, which is its id: two versions of a kernel in one
//! process would otherwise claim the same name, and the second would fail to load. The namespace comes from
//! `add_op_namespace_prefix` in the generated `_ops.py`, so a name that is written out, in whatever way, is a fault.

use std::collections::BTreeSet;

use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use kernel_spec::{Finding, Severity};
use ruff_python_ast::{Expr, ExprCall};
use ruff_text_size::{Ranged, TextRange};

use super::PythonSource;
use super::arguments::{Argument, Given, UNNAMED, argument, callees, is_partial};
use super::calls::is_prefixing;
use super::package::{At, GENERATED, Package};
use super::registries::{PRIVATE, REGISTERING, Registering, is_of_torch, registering};
use super::text::{Piece, Text, Texts, unknown, whole};
use super::value::Evaluator;

/// What is given a function only to ask something about it.
const ASKING: &[&str] = &[
    "builtins.callable",
    "builtins.hasattr",
    "builtins.isinstance",
    "builtins.issubclass",
    "builtins.type",
    "inspect.signature",
    "typing.cast",
];

/// One finding for each operator or namespace that is written out, or of which that cannot be said.
pub(super) fn unprefixed(package: &Package<'_>) -> Vec<Finding> {
    let mut found: Vec<Registration<'_>> = Vec::new();
    let mut places = BTreeSet::new();
    for (at, module) in package.modules.iter().enumerate() {
        for (call, scope) in &module.scopes.calls {
            let (Expr::Call(call), at) = (call, At { module: at, scope: *scope }) else { continue };
            for registration in registrations(package, call, at) {
                // Each path to one function tells of the same.
                if places.insert((at.module, registration.range.start(), registration.range.end())) {
                    found.push(registration);
                }
            }
        }
    }
    let own = own_namespaces(package, &found);
    let mut findings: Vec<Finding> =
        found.iter().filter_map(|registration| judge(package, registration, &own)).collect();
    findings.extend(named_directly(package, &own));
    findings.extend(prefixed_twice(package));
    findings.extend(mentioned(package));
    findings
}

/// Registering functions that are asked for by their names, other than by `getattr`, which is followed: what they are given then
/// nobody sees (`operator.attrgetter("custom_op")`).
fn mentioned(package: &Package<'_>) -> Vec<Finding> {
    const FOLLOWED: &[&str] = &["builtins.getattr", "builtins.hasattr", "builtins.print"];
    let is_name = |text: &str| {
        let last = text.rsplit('.').next().unwrap_or(text);
        // Words that others use too, only behind their module.
        let is_word = !last.contains('_') && last == text;
        !is_word && REGISTERING.iter().any(|known| known.name == last)
    };
    let mut findings = Vec::new();
    for (at, module) in package.modules.iter().enumerate() {
        for (call, scope) in &module.scopes.calls {
            let (Expr::Call(call), at) = (call, At { module: at, scope: *scope }) else { continue };
            let given = call.arguments.args.iter().filter_map(Expr::as_string_literal_expr);
            let Some(name) = given.into_iter().find(|literal| is_name(literal.value.to_str())) else {
                continue;
            };
            let paths = Evaluator::new(package).paths(&call.func, at);
            if paths.iter().any(|path| FOLLOWED.contains(&path.as_str())) {
                continue;
            }
            let (name, written) = (name.value.to_str(), module.source.slice(&*call.func));
            let message =
                format!("`{name}` is asked for by its name, by `{written}`: what it registers is not seen");
            let subject = Subject { file: Some(module.source.path().to_owned()), ..Subject::default() };
            let finding = Finding::note(&python::UNJUDGED, message);
            findings.push(finding.at(module.source.span(&call.range())).about(subject));
        }
    }
    findings
}

/// Names with a namespace that are given to the helper, which puts its own before it.
fn prefixed_twice(package: &Package<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, module) in package.modules.iter().enumerate() {
        for (call, scope) in &module.scopes.calls {
            let (Expr::Call(call), at) = (call, At { module: at, scope: *scope }) else { continue };
            let evaluator = Evaluator::new(package);
            if !evaluator.paths(&call.func, at).iter().any(|path| is_prefixing(path)) {
                continue;
            }
            let given = [(&call.arguments, 0, at)];
            let Argument::Given(name, place) = argument(&evaluator, &given, 0, "op_name") else { continue };
            let texts = evaluator.texts(name, place);
            let Some(text) = texts.iter().find(|text| is_qualified(text)) else { continue };
            let is_sure = texts.iter().all(is_qualified);
            let shown = shown(text);
            let helper = module.source.slice(&*call.func);
            let operator = shown.rsplit("::").next().unwrap_or(&shown);
            let message = format!("`{helper}` is given `{shown}`, which has a namespace already");
            let finding = if is_sure {
                Finding::error(&python::UNPREFIXED, message)
            } else {
                Finding::warning(&python::UNPREFIXED, message)
            };
            let subject = Subject { file: Some(module.source.path().to_owned()), ..Subject::default() };
            let finding = finding
                .cause("it puts the kernel's namespace before it, and an operator's name has one `::`")
                .help(format!("write `{helper}(\"{operator}\")`"));
            findings.push(finding.at(module.source.span(&name.range())).about(subject));
        }
    }
    findings
}

/// One call that registers something.
struct Registration<'a> {
    /// The function's name.
    function: String,
    /// Whether it takes a namespace.
    of_namespace: bool,
    defines: bool,
    source: &'a PythonSource,
    /// Where the name is given.
    range: TextRange,
    name: Option<&'a Expr>,
    texts: Texts,
}

fn registrations<'a>(package: &Package<'a>, call: &'a ExprCall, at: At) -> Vec<Registration<'a>> {
    let evaluator = Evaluator::new(package);
    let source = package.modules[at.module].source;
    let is_partial = is_partial(&evaluator, &call.func, at);
    // A partial function registers when it is called, but that may be where nobody sees it.
    let (function, skipped) = match call.arguments.args.first() {
        Some(function) if is_partial => (function, 1),
        _ => (&*call.func, 0),
    };
    let mut found = Vec::new();
    let made = |function: &str, (of_namespace, defines), range, name, texts| Registration {
        function: function.to_owned(),
        of_namespace,
        defines,
        source,
        range,
        name,
        texts,
    };
    // Handed to somebody who will call it.
    if !is_partial && !evaluator.paths(&call.func, at).iter().any(|path| ASKING.contains(&path.as_str())) {
        let named = call.arguments.keywords.iter().map(|keyword| &keyword.value);
        // One of its own, so that many arguments leave enough for what is called.
        let asked = Evaluator::new(package);
        let is_name = |value: &&Expr| value.is_name_expr() || value.is_attribute_expr();
        for handed in call.arguments.args.iter().chain(named).filter(is_name) {
            let paths = asked.paths(handed, at);
            let function =
                paths.iter().flat_map(|path| registering(path)).find(|(known, _)| **known != PRIVATE);
            found
                .extend(function.map(|(_, last)| made(last, (false, true), handed.range(), None, unknown())));
        }
    }
    if let Some((method, name, texts)) = in_another(&evaluator, call, at) {
        found.push(made(method, (false, true), name.range(), Some(name), texts));
    }
    let mut callees = callees(&evaluator, function, at, 4);
    for callee in &mut callees {
        callee.given.push((&call.arguments, skipped, at));
    }
    for mut callee in callees {
        if let Some(module) = callee.path.strip_suffix(UNNAMED) {
            let module = module.trim_end_matches('.');
            found.push(made(module, (false, true), call.range(), None, unknown()));
            continue;
        }
        // A class is made by its method, too: `super().__init__("demo", "DEF")`, or `Library.__init__(self, "demo", "DEF")`.
        let path = match callee.path.strip_suffix(".__init__") {
            Some(class) => {
                let is_bound =
                    call.func.as_attribute_expr().is_some_and(|method| method.value.is_call_expr());
                callee.given.iter_mut().for_each(|(_, skipped, _)| *skipped += usize::from(!is_bound));
                class
            }
            None => &callee.path,
        };
        for (known, function) in registering(path) {
            if *known == PRIVATE {
                let given = callee.given.iter().flat_map(|(arguments, skipped, at)| {
                    let named = arguments.keywords.iter().map(|keyword| &keyword.value);
                    arguments.args.iter().skip(*skipped).chain(named).map(|value| (value, *at))
                });
                let names = given.map(|(value, place)| (value, evaluator.texts(value, place)));
                let names = names.filter(|(_, texts)| texts.iter().any(is_qualified));
                found
                    .extend(names.map(|(name, texts)| {
                        made(function, (false, false), name.range(), Some(name), texts)
                    }));
                continue;
            }
            let defines =
                known.defines && !(known.of_namespace && only_implements(&evaluator, &callee.given, known));
            let kind = (known.of_namespace, defines);
            let (place, keyword) = known.parameter;
            match argument(&evaluator, &callee.given, place, keyword) {
                // `impl(library, "f", "CPU")`: the library was told of where it was made.
                Argument::Given(name, place) if library(&evaluator, name, place).is_some() => {}
                Argument::Given(name, place) => {
                    found.push(made(function, kind, name.range(), Some(name), evaluator.texts(name, place)));
                }
                Argument::Hidden(range) => found.push(made(function, kind, range, None, unknown())),
                Argument::Absent => {}
            }
        }
    }
    found
}

/// Whether a text holds a name with a namespace.
fn is_qualified(text: &Text) -> bool {
    text.iter().any(|piece| matches!(piece, Piece::Known(text) if text.contains("::")))
}

/// The namespaces of the library that an expression is; `None` where it is none.
fn library<'a>(evaluator: &Evaluator<'_, 'a>, name: &'a Expr, at: At) -> Option<Texts> {
    evaluator.containers(name, at, 8).into_iter().find_map(|(made, at)| {
        let call = made.as_call_expr()?;
        let functions = evaluator.paths(&call.func, at);
        let known = functions.iter().flat_map(|path| registering(path)).find(|(known, _)| known.of_namespace);
        let (place, keyword) = known?.0.parameter;
        match argument(evaluator, &[(&call.arguments, 0, at)], place, keyword) {
            Argument::Given(name, place) => Some(evaluator.texts(name, place)),
            _ => Some(unknown()),
        }
    })
}

/// A method of a library that is given a name in another namespace than the library's, which Torch refuses.
fn in_another<'a>(
    evaluator: &Evaluator<'_, 'a>,
    call: &'a ExprCall,
    at: At,
) -> Option<(&'a str, &'a Expr, Texts)> {
    let method = call.func.as_attribute_expr()?;
    let keyword = match method.attr.as_str() {
        "define" => "schema",
        "impl" => "op_name",
        _ => return None,
    };
    let Argument::Given(name, place) = argument(evaluator, &[(&call.arguments, 0, at)], 0, keyword) else {
        return None;
    };
    let texts = evaluator.texts(name, place);
    // Only before the parameters of a schema: defaults may hold anything.
    let named = |text: &Text| match text.first() {
        Some(Piece::Known(text)) => {
            text.split('(').next().and_then(|name| name.split_once("::")).map(|(before, _)| before.to_owned())
        }
        _ => None,
    };
    let others: BTreeSet<String> = texts.iter().filter_map(named).collect();
    if others.is_empty() {
        return None;
    }
    let own = library(evaluator, &method.value, at)?;
    let is_its_own = |name: &String| own.iter().any(|text| whole(text) == Some(name));
    (!others.iter().all(is_its_own)).then_some((method.attr.as_str(), name, texts))
}

/// `Library(namespace, "IMPL")`; the kind stands where the namespace does not.
fn only_implements<'a>(evaluator: &Evaluator<'_, 'a>, given: &[Given<'a>], known: &Registering) -> bool {
    match argument(evaluator, given, 1 - known.parameter.0, "kind") {
        Argument::Given(kind, at) => evaluator.texts(kind, at).iter().all(|kind| whole(kind) == Some("IMPL")),
        _ => false,
    }
}

/// Where the namespace of a registration comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Namespace {
    /// From the generated module.
    Own,
    /// It is written out.
    Named(String),
    /// Only running the file could tell.
    Unknown,
}

fn namespace(text: &Text, is_whole: bool) -> Namespace {
    let mut name = String::new();
    for piece in text {
        match piece {
            // An operator's whole name is no namespace.
            Piece::Own if name.is_empty() && is_whole && text.len() > 1 => return Namespace::Unknown,
            Piece::Own if name.is_empty() => return Namespace::Own,
            // What stands before it makes another namespace of it.
            Piece::Own | Piece::Unknown => return Namespace::Unknown,
            Piece::Known(text) => match text.split_once("::") {
                Some((before, _)) if !is_whole => return Namespace::Named(name + before),
                _ => name.push_str(text),
            },
        }
    }
    Namespace::Named(name)
}

impl Registration<'_> {
    fn namespaces(&self) -> BTreeSet<Namespace> {
        self.texts.iter().map(|text| namespace(text, self.of_namespace)).collect()
    }
}

/// The namespaces that can only be meant for the kernel: its name, and those in which it defines operators.
fn own_namespaces(package: &Package<'_>, found: &[Registration<'_>]) -> BTreeSet<String> {
    let defining = found.iter().filter(|registration| registration.defines);
    let named = defining.flat_map(Registration::namespaces).filter_map(|namespace| match namespace {
        Namespace::Named(name) if !is_of_torch(&name) => Some(name),
        _ => None,
    });
    named.chain([package.name.to_owned()]).collect()
}

fn is_own(package: &Package<'_>, own: &BTreeSet<String>, namespace: &str) -> bool {
    own.contains(namespace) || package.is_id(namespace)
}

fn judge(package: &Package<'_>, registration: &Registration<'_>, own: &BTreeSet<String>) -> Option<Finding> {
    let namespaces = registration.namespaces();
    let worst = |namespace: &Namespace| match namespace {
        Namespace::Own => None,
        Namespace::Unknown => Some(Severity::Note),
        Namespace::Named(name) if registration.defines || is_own(package, own, name) => Some(Severity::Error),
        Namespace::Named(name) if is_of_torch(name) => None,
        // Without a namespace Torch refuses it.
        Namespace::Named(name) if name.is_empty() => Some(Severity::Error),
        Namespace::Named(_) => Some(Severity::Warning),
    };
    let severity = namespaces.iter().filter_map(worst).max()?;
    let is_sure = namespaces.iter().all(|namespace| worst(namespace) == Some(severity));
    let function = registration.function.as_str();
    let source = registration.source;
    let written = match registration.name {
        Some(name) => source.slice(name),
        None => source.slice(&registration.range),
    };
    let about = |finding: Finding| {
        let subject = Subject { file: Some(source.path().to_owned()), ..Subject::default() };
        finding.at(source.span(&registration.range)).about(subject)
    };
    if severity == Severity::Note {
        let message =
            format!("`{function}` is given a name that only running the file would tell: `{written}`");
        return Some(about(Finding::note(&python::UNJUDGED, message)));
    }
    let text = registration.texts.iter().find_map(|text| {
        let name = namespace(text, registration.of_namespace);
        (worst(&name) == Some(severity)).then(|| shown(text))
    });
    let text = text.unwrap_or_else(|| written.clone());
    let is_library = registration.of_namespace;
    let what = if is_library { "the namespace" } else { "the operator" };
    let is_given = if is_sure { "is given" } else { "may be given" };
    let operator = text.rsplit("::").next().unwrap_or(&text);
    let is_literal = registration.name.is_some_and(Expr::is_string_literal_expr);
    let written = if is_literal { written } else { format!("\"{text}\", as `{written}`,") };
    let (message, help) = if severity == Severity::Warning && is_sure {
        (
            format!("`{function}` {is_given} {what} {written} of another library"),
            format!(
                "if it is the kernel's own, write `add_op_namespace_prefix(\"{operator}\")`, imported from `._ops`"
            ),
        )
    } else if is_library {
        (
            format!("`{function}` {is_given} {what} {written} without the kernel's namespace"),
            "use `ops` of `._ops` for what is registered in C++, and its helper for the rest".to_owned(),
        )
    } else {
        (
            format!("`{function}` {is_given} {what} {written} without the kernel's namespace"),
            format!("write `add_op_namespace_prefix(\"{operator}\")`, imported from `._ops`"),
        )
    };
    let finding = match (severity, is_sure) {
        (Severity::Error, true) => Finding::error(&python::UNPREFIXED, message),
        _ => Finding::warning(&python::UNPREFIXED, message),
    };
    Some(about(
        finding.cause("two versions of the kernel in one process would register the same name").help(help),
    ))
}

fn shown(text: &Text) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Known(text) => text.clone(),
        Piece::Own | Piece::Unknown => "…".to_owned(),
    };
    text.iter().map(piece).collect()
}

/// `torch.ops.name.f`, where `name` is meant for the kernel: the loaded one has another. One finding for each file.
fn named_directly(package: &Package<'_>, own: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Of which build the generated module speaks, its variant's metadata tell.
    for (at, module) in package.modules.iter().enumerate().filter(|(_, module)| module.name != GENERATED) {
        let named = module.scopes.chains.iter().chain(&module.scopes.calls).flat_map(|(named, scope)| {
            let paths = Evaluator::new(package).paths(named, At { module: at, scope: *scope });
            paths.into_iter().map(|path| (named.range(), path))
        });
        let named = named.filter(|(_, path)| {
            let namespace = path.strip_prefix("torch.ops.").and_then(|name| name.split('.').next());
            namespace.is_some_and(|namespace| is_own(package, own, namespace))
        });
        let mut places: Vec<(TextRange, String)> = named.collect();
        places.sort_by_key(|(range, _)| (range.start(), range.end()));
        places.dedup_by_key(|(range, _)| range.start());
        let Some((range, path)) = places.first() else { continue };
        let message = format!("`{path}` is not under the namespace of the loaded kernel");
        let mut finding = Finding::error(&python::UNPREFIXED, message)
            .cause("the kernel's operators are under its id, which only the generated `_ops.py` knows");
        if places.len() > 1 {
            finding = finding.cause(format!("so it is in {} more places of the file", places.len() - 1));
        }
        let subject = Subject { file: Some(module.source.path().to_owned()), ..Subject::default() };
        let finding = finding.help("use `ops` in its place, imported from `._ops`");
        findings.push(finding.at(module.source.span(range)).about(subject));
    }
    findings
}
