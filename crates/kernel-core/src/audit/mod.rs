//! What a built variant could do, seen from outside: the functions its libraries import, the names its Python uses, and
//! what else is in it. Nothing of it is imported or run.

mod bill;
mod table;

pub use bill::{Part, bill, is_bill};

use std::collections::BTreeSet;

use camino::Utf8Path;
use kernel_abi::image::Format;
use kernel_spec::finding::{Subject, abridged};
use kernel_spec::{Finding, code};
use sha2::{Digest, Sha256};

use crate::check::built::BuiltVariant;
use crate::check::{layout, library};
use crate::digest::{METADATA, SIGNATURE};
use crate::python_source::PythonSource;
use crate::tree::{self, Kind};
use crate::{Result, bounds, regular};

/// The audit of several variants: what they have in common is told of once.
#[derive(Default)]
pub struct Audit {
    /// SHA-256 of the Python files that were read.
    known: BTreeSet<[u8; 32]>,
}

impl Audit {
    /// Everything that is worth knowing of a variant.
    pub fn variant(&mut self, variant: &BuiltVariant) -> Result<Vec<Finding>> {
        let mut findings = layout::check_alone(variant);
        let mut others = Vec::new();
        // A directory that cannot be listed is told of with the layout.
        for entry in tree::walk(&variant.directory, &|_| true).into_iter().flatten() {
            let (place, path) = (variant.directory.join(&entry.path), entry.path);
            if entry.kind != Kind::File
                || tree::is_bytecode(&path)
                || [METADATA, SIGNATURE].contains(&path.as_str())
            {
                continue;
            }
            let about = |finding: Finding| {
                let file = Some(path.clone());
                finding.about(Subject { variant: Some(variant.name.clone()), file, ..Subject::default() })
            };
            if library::is_library(&place) {
                findings.extend(imports(&path, &place).into_iter().map(about));
            } else if matches!(Utf8Path::new(&path).extension(), Some("py" | "pyi")) {
                findings.extend(self.python(&path, &place).into_iter().map(about));
            } else {
                others.push(path);
            }
        }
        if !others.is_empty() {
            let message = format!("`{}` holds files that are neither Python nor libraries", variant.name);
            let about = Subject { variant: Some(variant.name.clone()), ..Subject::default() };
            findings.push(Finding::note(&code::audit::FILES, message).cause(others.join(", ")).about(about));
        }
        Ok(abridged(findings, bounds::FINDINGS))
    }

    fn python(&mut self, path: &str, place: &Utf8Path) -> Vec<Finding> {
        let bytes = match regular::start(place, bounds::PYTHON + 1) {
            Ok(bytes) => bytes,
            Err(error) => {
                let finding = Finding::error(&code::artifact::UNREADABLE, format!("could not read `{path}`"));
                return vec![finding.cause(error.to_string())];
            }
        };
        if !self.known.insert(Sha256::digest(&bytes).into()) {
            return Vec::new();
        }
        let source = match PythonSource::parse(path, &bytes) {
            Ok(source) => source,
            Err(finding) => return vec![*finding],
        };
        let mut seen = BTreeSet::new();
        let named = source.uses().into_iter().filter_map(|named| {
            let row = table::python(&named.path)?;
            let finding =
                Finding::warning(row.code, format!("`{path}` uses `{}`: {}", named.path, row.meaning));
            seen.insert(named.path).then(|| finding.at(named.span))
        });
        named.collect()
    }
}

/// What a library asks the system, or others, to do.
fn imports(path: &str, place: &Utf8Path) -> Vec<Finding> {
    let image = match library::read(place) {
        Ok(image) => image,
        Err(error) => return vec![error.finding(path)],
    };
    let mut findings = Vec::new();
    for object in &image.objects {
        for symbol in object.undefined() {
            let name = symbol.name.as_ref();
            // Names of C begin with `_` there.
            let name =
                if image.format == Format::MachO { name.strip_prefix('_').unwrap_or(name) } else { name };
            if let Some(row) = table::symbol(name) {
                let message = format!("`{path}` imports `{name}`: {}", row.meaning);
                findings.push(Finding::warning(row.code, message));
            }
        }
        for needed in &object.needed {
            if let Some(row) = table::needed(needed) {
                let message = format!("`{path}` needs `{needed}`: {}", row.meaning);
                findings.push(Finding::warning(row.code, message));
            }
        }
    }
    findings.dedup_by(|one, other| one.message == other.message);
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What of a text is told, by the paths that it uses.
    fn told(text: &str) -> Vec<String> {
        let source = PythonSource::parse("a.py", text.as_bytes()).expect("Python");
        let uses = source.uses().into_iter().map(|named| named.path);
        uses.filter(|path| table::python(path).is_some()).collect()
    }

    #[test]
    fn ways_around_the_names_that_run_code_are_told() {
        for (text, path) in [
            ("import posix\nposix.system('id')", "posix.system"),
            ("from os import *\nsystem('id')", "os.*"),
            ("import os\nvars(os)['system']('id')", "os.system"),
            ("import os\nvars(os)[name]('id')", "os.*"),
            ("import os\nos.__dict__['system']('id')", "os.system"),
            ("import os\ngetattr(os, 'system')('id')", "os.system"),
            ("import os\ngetattr(os, 'sys' + 'tem')('id')", "os.*"),
            ("import torch\ngetattr(torch, 'ops').load_library('x')", "torch.ops.load_library"),
            ("import sys\nsys.modules['os'].system('id')", "os.system"),
            ("import os, operator\noperator.attrgetter('system')(os)('id')", "operator.attrgetter"),
            ("import os\ngetattr(os, exec('x'))", "exec"),
            ("import timeit\ntimeit.timeit('x')", "timeit.timeit"),
            ("import cProfile\ncProfile.run('x')", "cProfile.run"),
            ("import pdb\npdb.run('x')", "pdb.run"),
            ("import _posixsubprocess\n_posixsubprocess.fork_exec()", "_posixsubprocess.fork_exec"),
            ("import _socket\n_socket.socket()", "_socket.socket"),
            ("(lambda: 0).__globals__['__builtins__']['exec']('x')", "__globals__"),
            ("globals()['__builtins__']['eval']('1')", "__builtins__"),
            ("getattr(f, '__globals__')", "__globals__"),
            ("import torch\ntorch.nn.__builtins__['exec']('x')", "torch.nn.__builtins__"),
            ("().__class__.__base__.__subclasses__()", "__subclasses__"),
            ("import types\ntypes.FunctionType(types.CodeType(), {})()", "types.FunctionType"),
            ("f.__code__ = f.__code__.replace(co_code=b'x')", "__code__"),
            ("import yaml\nyaml.unsafe_load('x')", "yaml.unsafe_load"),
            ("import torch.distributed.rpc as r\nr.init_rpc('a')", "torch.distributed.rpc.init_rpc"),
            ("import sys\nsys.meta_path.insert(0, x)", "sys.meta_path.insert"),
            ("import sys\nsys.path.insert(0, x)", "sys.path.insert"),
            ("import webbrowser\nwebbrowser.open('x')", "webbrowser.open"),
            ("import _interpreters\n_interpreters.run_string('x')", "_interpreters.run_string"),
            ("import shutil\nshutil.os.system('id')", "shutil.os.system"),
            ("import torch\ntorch.os.system('id')", "torch.os.system"),
            ("import tempfile\ntempfile._os.system('id')", "tempfile._os.system"),
            ("from shutil import os as q\nq.system('id')", "shutil.os.system"),
            ("import platform\nplatform.subprocess.run(['id'])", "platform.subprocess.run"),
            ("from platform import subprocess", "platform.subprocess"),
            ("import sys\nsys.modules.get('os').system('id')", "os.system"),
            ("import shutil\nshutil.sys.modules['os'].system('id')", "os.system"),
            ("import os\nos.__dict__.get('system')('id')", "os.system"),
            ("import inspect, os\ninspect.getattr_static(os, 'system')('id')", "inspect.getattr_static"),
            ("import os\nmatch os:\n    case object(system=s):\n        s('id')", "os.system"),
            (
                "import os\nmatch os:\n    case object(name=s) | (object(system=s)):\n        s('id')",
                "os.system",
            ),
            ("import importlib._bootstrap as b\nb._gcd_import('os')", "importlib._bootstrap._gcd_import"),
            ("import typing\ntyping.ForwardRef('x')._evaluate({}, {})", "typing.ForwardRef"),
            ("import logging.config\nlogging.config.dictConfig({})", "logging.config.dictConfig"),
            ("import tkinter\ntkinter.Tcl().eval('exec id')", "tkinter.Tcl"),
            ("import sqlite3\nsqlite3.connect('x').load_extension('y')", "sqlite3.connect"),
            ("from typing import get_type_hints\nget_type_hints(f)", "typing.get_type_hints"),
        ] {
            assert!(told(text).iter().any(|told| told == path), "{text}: {:?}", told(text));
        }
    }

    #[test]
    fn what_kernels_usually_do_is_not_told() {
        for text in [
            "import torch\nx = getattr(torch, name)\ny = getattr(torch, 'float32')",
            "from .layers import *\nfrom math import *",
            "import os\nos.__dict__['path']\nvars(x)['system']\nx['a']\n{}['b']",
            "import sys\nsys.modules.get('torch')\nsys.modules[__name__].__doc__",
            "import timeit\ntimeit.default_timer()",
            "import torch\ntorch.os.path.join('a')\ntorch.nn.Module.compile\ntorch.sys.version",
            "import os\nmatch os.name:\n    case str(real=1):\n        pass",
            "def f(nt, site, profile, trace):\n    return nt.size, site, profile, trace",
            "x.__class__.__name__\nx.__dict__['a']\n__all__ = ['a']\ngetattr(x, 'a')",
        ] {
            assert!(told(text).is_empty(), "{text}: {:?}", told(text));
        }
    }
}
