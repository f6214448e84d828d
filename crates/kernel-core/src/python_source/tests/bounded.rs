//! Packages that would take for ever if every way through them was gone.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::judged;

/// What the checks may take that these packages made take minutes or more; without optimisation, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

const MODULES: usize = 80;

fn told(files: &[(String, String)]) -> Vec<String> {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let start = Instant::now();
    let findings = judged(&files);
    let taken = start.elapsed();
    assert!(taken < PATIENCE, "{taken:?}");
    findings.iter().map(|finding| format!("{} {}", finding.code.id, finding.message)).collect()
}

/// Modules of which each imports everything of every other.
fn mesh(list: impl Fn(usize) -> String) -> Vec<(String, String)> {
    let module = |at: usize| {
        let mut text = String::new();
        for other in (0..MODULES).filter(|other| *other != at) {
            writeln!(text, "from .m{other} import *").expect("a text");
        }
        writeln!(text, "v{at} = 1\nprint(v{at})\n{}", list(at)).expect("a text");
        (format!("m{at}.py"), text)
    };
    (0..MODULES).map(module).collect()
}

#[test]
fn modules_that_import_everything_of_each_other_are_judged_together() {
    let mut files = mesh(|at| format!("__all__ = ['v{at}']"));
    files.push(("extra.py".to_owned(), "from .m1 import v1, v0, gone\n".to_owned()));
    assert_eq!(told(&files), ["python/not-there `.m1` has no `gone`"]);
    let mut files = mesh(|_| String::new());
    files.push(("extra.py".to_owned(), "from .m1 import v1, v79, gone\n".to_owned()));
    assert_eq!(told(&files), ["python/not-there `.m1` has no `gone`"]);
}

#[test]
fn lists_that_are_made_of_each_other_are_read_once() {
    let others = |at: usize| (0..MODULES).filter(move |other| *other != at);
    let mut files = mesh(|at| {
        let modules: Vec<String> = others(at).map(|other| format!("m{other}")).collect();
        let lists: Vec<String> = modules.iter().map(|module| format!("*{module}.__all__")).collect();
        format!("from . import {}\n__all__ = ['v{at}', {}]", modules.join(", "), lists.join(", "))
    });
    files.push(("__init__.py".to_owned(), "from .m1 import *\n".to_owned()));
    assert_eq!(told(&files), [""; 0]);
}

#[test]
fn names_that_lead_to_ever_more_others_are_followed_for_a_while() {
    let mut text = String::from("import torch\nfrom ._ops import add_op_namespace_prefix as p\nx0 = 'a'\n");
    for at in 1..200 {
        let before = at - 1;
        writeln!(text, "x{at} = x{before} + x{before} if y else x{before} + 'b'").expect("a text");
    }
    writeln!(text, "def f0(n): return n").expect("a text");
    for at in 1..24 {
        let g = format!("f{}", at - 1);
        writeln!(text, "def f{at}(n): return {g}(n) + {g}(n + 'z') if n else {g}({g}(n))").expect("a text");
    }
    for at in 0..400 {
        writeln!(text, "torch.library.define(f{}(x{}), '() -> ()')", at % 24, at % 200).expect("a text");
    }
    // What is written where it is registered is judged all the same.
    writeln!(text, "torch.library.define('demo::late', '() -> ()')").expect("a text");
    let told = told(&[("__init__.py".to_owned(), text)]);
    assert!(told.iter().any(|line| line.contains("lead to more than can be followed")), "{told:?}");
    assert!(told.iter().any(|line| line.contains("`define` is given the operator 'demo::late'")), "{told:?}");
}
