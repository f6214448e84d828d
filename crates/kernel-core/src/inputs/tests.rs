//! The closed set on real directories.

use kernel_spec::Located;
use kernel_spec::manifest::{
    Binding, CompiledBinding, Component, Edition, General, Hub, NoarchBinding, Target, TorchBinding,
};

use super::*;

fn at<T>(value: T) -> Located<T> {
    Located::new(value, 0..0)
}

fn texts_of(values: &[&str]) -> Vec<Located<String>> {
    values.iter().map(|value| at((*value).to_owned())).collect()
}

fn manifest(binding: Binding, components: Vec<Component>) -> Manifest {
    Manifest {
        edition: Edition::Five,
        general: General {
            name: at("demo".parse().expect("a name")),
            version: at(1),
            license: at("MIT".to_owned()),
            backends: vec![at(Backend::Cpu)],
            upstream: None,
            source: None,
            python_depends: Vec::new(),
            kernel_depends: Vec::new(),
            hub: Hub::default(),
            cuda_minimum: None,
            cuda_maximum: None,
            by_backend: BTreeMap::new(),
        },
        binding,
        components,
    }
}

fn torch(sources: &[&str], extensions: Option<&[&str]>) -> Binding {
    Binding::Torch(TorchBinding {
        common: CompiledBinding {
            sources: texts_of(sources),
            python_extensions: extensions.map(texts_of),
            ..CompiledBinding::default()
        },
        ..TorchBinding::default()
    })
}

fn component(name: &str, sources: &[&str], include: &[&str]) -> Component {
    Component {
        name: at(name.to_owned()),
        backend: at(Backend::Cpu),
        depends: Vec::new(),
        sources: texts_of(sources),
        include: texts_of(include),
        cxx_flags: Vec::new(),
        target: Target::Cpu,
    }
}

struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().expect("a directory"));
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    fn root(&self) -> &Utf8Path {
        Utf8Path::from_path(self.0.path()).expect("UTF-8")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs_err::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs_err::write(path, text).expect("written");
    }

    fn link(&self, target: &str, path: &str) {
        fs_err::os::unix::fs::symlink(target, self.root().join(path)).expect("linked");
    }

    fn collect(&self, manifest: &Manifest) -> Inputs {
        collect(self.root(), manifest, Backend::Cpu).expect("collected")
    }
}

fn paths(inputs: &Inputs) -> Vec<&str> {
    inputs.files.keys().map(String::as_str).collect()
}

fn codes(inputs: &Inputs) -> Vec<String> {
    inputs.findings.iter().map(|finding| format!("{} {}", finding.code, finding.message)).collect()
}

#[test]
fn includes_are_followed_through_their_own_directories() {
    let project = Project::new(&[
        ("torch-ext/demo/__init__.py", ""),
        ("torch-ext/binding.cpp", "#include <torch/torch.h>\n#include \"binding.h\"\n#include \"common.h\""),
        ("torch-ext/binding.h", ""),
        ("cpu/k.cpp", "#if 0\n#include \"inner.h\"\n#endif\n#include <common.h>\n#include \"../shared/s.h\""),
        ("cpu/inner.h", "#include \"inner.h\"\n#include \"deeper/d.h\""),
        ("cpu/deeper/d.h", "#include \"d2.h\""),
        ("cpu/deeper/d2.h", ""),
        ("cpu/d2.h", ""),
        ("inc/common.h", "#include_next <common.h>"),
        ("inc2/common.h", ""),
        ("shared/s.h", ""),
        ("cuda/other.cu", ""),
        ("docs/readme.md", ""),
    ]);
    let manifest = manifest(
        torch(&["torch-ext/binding.cpp", "torch-ext/binding.h"], None),
        vec![component("k", &["./cpu/k.cpp"], &["inc", "inc2/."])],
    );
    let inputs = project.collect(&manifest);
    assert_eq!(
        paths(&inputs),
        [
            "cpu/deeper/d.h",
            "cpu/deeper/d2.h",
            "cpu/inner.h",
            "cpu/k.cpp",
            "inc/common.h",
            "inc2/common.h",
            "shared/s.h",
            "torch-ext/binding.cpp",
            "torch-ext/binding.h",
            "torch-ext/demo/__init__.py",
        ]
    );
    assert_eq!(codes(&inputs), [""; 0]);
    let unlisted: Vec<(String, u32)> =
        inputs.unlisted().map(|(path, by)| (format!("{path} by {}", by.file), by.span.line)).collect();
    assert_eq!(
        unlisted,
        [
            ("cpu/deeper/d.h by cpu/inner.h".to_owned(), 2),
            ("cpu/deeper/d2.h by cpu/deeper/d.h".to_owned(), 1),
            ("cpu/inner.h by cpu/k.cpp".to_owned(), 2),
            ("inc/common.h by cpu/k.cpp".to_owned(), 4),
            ("inc2/common.h by inc/common.h".to_owned(), 1),
            ("shared/s.h by cpu/k.cpp".to_owned(), 5),
        ]
    );
    assert_eq!(inputs.package().collect::<Vec<_>>(), [("__init__.py", "torch-ext/demo/__init__.py")]);
}

#[test]
fn what_leaves_the_project_is_refused_and_what_is_computed_is_named() {
    let outside = Project::new(&[("secret.h", "")]);
    let project = Project::new(&[
        ("torch-ext/demo/__init__.py", ""),
        (
            "k/a.cpp",
            "#include HEADER\n#include \"/etc/passwd\"\n#include \"linked.h\"\n#include \"../../x.h\"",
        ),
    ]);
    project.link(outside.root().join("secret.h").as_str(), "k/linked.h");
    let manifest = manifest(torch(&["k/a.cpp", "k/gone.cpp", "../up.cpp", "k"], None), Vec::new());
    let inputs = project.collect(&manifest);
    assert_eq!(paths(&inputs), ["k/a.cpp", "torch-ext/demo/__init__.py"]);
    assert_eq!(
        codes(&inputs),
        [
            "inputs/missing source `k` is a directory",
            "inputs/outside source `../up.cpp` is not inside the project",
            "inputs/missing source `k/gone.cpp` does not exist",
            "inputs/computed-include `k/a.cpp` includes a file whose name is computed: `HEADER`",
            "inputs/outside `k/a.cpp` includes `/etc/passwd`, which is not inside the project",
            "inputs/outside `k/linked.h` is a link that leaves the project",
        ]
    );
    let error = inputs.require_sound().expect_err("unsound");
    assert!(matches!(&error, Error::Faults(faults) if faults.findings.len() == 5), "{error}");
}

#[test]
fn the_package_ships_by_extension() {
    let files: Vec<(String, &str)> = [
        "__init__.py",
        "_ops.py",
        "stubs.pyi",
        "data.json",
        "weights.tar.gz",
        "notes.md",
        ".hidden.py",
        ".git/x.py",
        "__pycache__/a.py",
        "old.pyc",
        "old.pyo",
        "layers/__init__.py",
        "layers/_ops.py",
        "py",
    ]
    .map(|path| (format!("torch-ext/demo/{path}"), ""))
    .to_vec();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let project = Project::new(&files);
    let ship = |binding| {
        let inputs = project.collect(&manifest(binding, Vec::new()));
        assert_eq!(codes(&inputs).len(), 1, "the generated `_ops.py` is named");
        inputs.package().map(|(destination, _)| destination.to_owned()).collect::<Vec<_>>()
    };
    let code = ["__init__.py", "layers/__init__.py", "layers/_ops.py", "stubs.pyi"];
    assert_eq!(ship(torch(&[], None)), code);
    assert_eq!(ship(torch(&[], Some(&["py"]))), code);
    let data =
        ["__init__.py", "data.json", "layers/__init__.py", "layers/_ops.py", "stubs.pyi", "weights.tar.gz"];
    assert_eq!(ship(torch(&[], Some(&[".json", "tar.gz"]))), data);
    let noarch = |extensions: Option<&[&str]>| {
        Binding::TorchNoarch(NoarchBinding {
            python_extensions: extensions.map(texts_of),
            ..NoarchBinding::default()
        })
    };
    assert_eq!(ship(noarch(Some(&["json", "gz"]))), data);
    assert_eq!(ship(noarch(None)).len(), 8);
}

#[test]
fn a_stage_holds_the_set_and_nothing_else() {
    let project = Project::new(&[
        ("torch-ext/demo/__init__.py", "x"),
        ("torch-ext/demo/notes.md", ""),
        ("k/a.cpp", "#include \"b.h\""),
        ("k/real.h", "real"),
        ("k/unused.h", ""),
    ]);
    project.link("real.h", "k/b.h");
    let manifest = manifest(torch(&["k/a.cpp"], None), Vec::new());
    let inputs = project.collect(&manifest);
    let stage = Project::new(&[]);
    inputs.stage(project.root(), &stage.root().join("s")).expect("staged");
    let staged = crate::tree::walk(&stage.root().join("s"), &|_| true).expect("walked");
    let files: Vec<&str> = staged
        .iter()
        .filter(|entry| entry.kind == crate::tree::Kind::File)
        .map(|entry| entry.path.as_str())
        .collect();
    assert_eq!(files, ["k/a.cpp", "k/b.h", "torch-ext/demo/__init__.py"]);
    // The set of the copy is the set, so a sandbox gives the same id.
    let again = collect(&stage.root().join("s"), &manifest, Backend::Cpu).expect("collected");
    assert_eq!(again.digests(), inputs.digests());
}
