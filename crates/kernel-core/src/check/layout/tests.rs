//! One good variant, and everything that can be wrong with it.

use camino::Utf8PathBuf;
use kernel_spec::metadata::DigestRecord;

use super::*;

const NAME: &str = "torch213-cxx11-cpu-x86_64-linux";
const METADATA_TEXT: &str = r#"{"name":"my-demo","id":"_my_demo_cpu_x","version":1,"license":"MIT","python-depends":[],
  "backend":{"type":"cpu"},"x-kernel-builder":{"variant":"torch213-cxx11-cpu-x86_64-linux","profile":"release",
  "engine":"local","sandbox":"off","rebuildable":false,"id-rule":1}}"#;

struct Scene(tempfile::TempDir);

impl Scene {
    fn good() -> Self {
        let scene = Self(tempfile::tempdir().expect("a directory"));
        for path in ["__init__.py", "_ops.py", "layers/__init__.py", "_my_demo_cpu_x.abi3.so"] {
            scene.write(path, "");
        }
        scene.write("_ops.py", "from . import _my_demo_cpu_x\n");
        scene.seal(METADATA_TEXT);
        scene
    }

    fn variant(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.0.path()).expect("UTF-8").join(NAME)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.variant().join(path);
        fs_err::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs_err::write(path, text).expect("written");
    }

    fn seal(&self, text: &str) {
        let mut metadata = Metadata::from_json(text.as_bytes()).expect("valid");
        metadata.digest = Some(DigestRecord::sha256(digest::of_variant(&self.variant()).expect("a digest")));
        self.write(METADATA, &metadata.to_json());
    }

    fn findings(variant: &Utf8Path) -> Vec<String> {
        let name = variant.file_name().expect("a name").to_owned();
        check(&BuiltVariant { name, directory: variant.to_owned() })
            .iter()
            .map(|finding| format!("{} {}", finding.code, finding.message))
            .collect()
    }
}

#[test]
fn a_good_variant_has_no_findings() {
    let scene = Scene::good();
    assert_eq!(Scene::findings(&scene.variant()), [""; 0]);
}

#[test]
fn files_that_changed_after_sealing_are_named() {
    let scene = Scene::good();
    scene.write("__init__.py", "edited");
    scene.write("added.py", "");
    fs_err::remove_file(scene.variant().join("_my_demo_cpu_x.abi3.so")).expect("removed");
    assert_eq!(
        Scene::findings(&scene.variant()),
        [
            "artifact/layout the library `_my_demo_cpu_x.abi3.so` is missing",
            "artifact/digest `__init__.py` is not what was sealed",
            "artifact/digest `_my_demo_cpu_x.abi3.so` is missing",
            "artifact/digest `added.py` was added after sealing",
        ]
    );
}

#[test]
fn names_must_agree() {
    let scene = Scene::good();
    scene.seal(
        &METADATA_TEXT
            .replace("_my_demo_cpu_x", "_other_cpu_x")
            .replace("\"type\":\"cpu\"", "\"type\":\"cuda\""),
    );
    assert_eq!(
        Scene::findings(&scene.variant()),
        [
            "artifact/metadata id `_other_cpu_x` is not that of kernel `my-demo` for cuda",
            "artifact/name `torch213-cxx11-cpu-x86_64-linux` is for cpu, its metadata say cuda",
            "artifact/layout the library `_other_cpu_x.abi3.so` is missing",
            "artifact/layout `_ops.py` does not name `_other_cpu_x`",
        ]
    );
    let scene = Scene::good();
    let renamed = scene.variant().with_file_name("tesla");
    fs_err::rename(scene.variant(), &renamed).expect("renamed");
    assert_eq!(
        Scene::findings(&renamed),
        [
            "artifact/name `tesla` was built as `torch213-cxx11-cpu-x86_64-linux`",
            "artifact/name `tesla` is no name of a variant, so no loader finds it",
        ]
    );
}

#[test]
fn links_byte_code_and_lost_parts_are_named() {
    let scene = Scene::good();
    for (target, name) in [("/etc/passwd", "away.py"), ("/nowhere", "dangling.py"), ("layers", "inside")] {
        fs_err::os::unix::fs::symlink(target, scene.variant().join(name)).expect("linked");
    }
    scene.write("__pycache__/x.cpython-311.pyc", "");
    fs_err::remove_file(scene.variant().join("__init__.py")).expect("removed");
    assert_eq!(
        Scene::findings(&scene.variant()),
        [
            "artifact/layout `away.py` is a link that leaves the variant",
            "artifact/layout `dangling.py` is a link to nothing",
            "artifact/layout `inside` is a link",
            "artifact/bytecode `__pycache__/x.cpython-311.pyc` is byte code that nothing vouches for",
            "artifact/layout there is no `__init__.py`",
        ]
    );
}

#[test]
fn the_generated_module_is_there_and_of_this_build() {
    let scene = Scene::good();
    scene.write("_ops.py", "from . import _my_demo_cpu_xy\nops = torch.ops._my_demo_cpu_xy\n");
    scene.seal(METADATA_TEXT);
    let another = "artifact/layout `_ops.py` does not name `_my_demo_cpu_x`";
    assert_eq!(Scene::findings(&scene.variant()), [another]);
    fs_err::remove_file(scene.variant().join("_ops.py")).expect("removed");
    scene.seal(METADATA_TEXT);
    assert_eq!(Scene::findings(&scene.variant()), ["artifact/layout there is no `_ops.py`"]);
    for both in [
        "from . import _my_demo_cpu_x\nimport torch\nops = torch.ops._my_demo_cpu_xy\n",
        "ID = '_my_demo_cpu_x'\ndef add_op_namespace_prefix(name): return f'_my_demo_cpu_xy::{name}'\n",
    ] {
        scene.write("_ops.py", both);
        scene.seal(METADATA_TEXT);
        let beside = "artifact/layout `_ops.py` names `_my_demo_cpu_xy` beside `_my_demo_cpu_x`";
        assert_eq!(Scene::findings(&scene.variant()), [beside]);
    }
    scene.write("_ops.py", "# _my_demo_cpu_x\nimport torch\nops = torch.ops._my_demo_cpu_xy\n");
    scene.seal(METADATA_TEXT);
    assert_eq!(Scene::findings(&scene.variant()), [another]);
    scene.write("_ops.py", &format!("{}from . import _my_demo_cpu_x\n", "#\n".repeat(1 << 15)));
    scene.seal(METADATA_TEXT);
    let long = "artifact/layout `_ops.py` has more than 32768 bytes, ten times what a build writes";
    assert_eq!(Scene::findings(&scene.variant()), [long]);
    fs_err::remove_file(scene.variant().join("_ops.py")).expect("removed");
    scene.seal(METADATA_TEXT);
    // Where the package is below, as older tools lay it out.
    scene.write("my_demo/_ops.py", "from .. import _my_demo_cpu_x\n");
    scene.seal(METADATA_TEXT);
    assert_eq!(Scene::findings(&scene.variant()), [""; 0]);
    // So is one of a build for Python alone; one of other tools need not be there.
    let noarch = scene.variant().with_file_name("torch-cpu");
    fs_err::rename(scene.variant(), &noarch).expect("renamed");
    fs_err::remove_file(noarch.join("my_demo/_ops.py")).expect("removed");
    let told = Scene::findings(&noarch);
    assert!(told.contains(&"artifact/layout there is no `_ops.py`".to_owned()), "{told:?}");
    let mut others = Metadata::from_json(METADATA_TEXT.as_bytes()).expect("valid");
    others.build = None;
    fs_err::write(noarch.join(METADATA), others.to_json()).expect("written");
    let told = Scene::findings(&noarch);
    assert!(told.iter().all(|told| !told.contains("_ops")), "{told:?}");
}

/// What a kernel registers in Python is under the name that the helper makes.
#[test]
fn the_helper_of_the_generated_module_puts_the_right_namespace_before_names() {
    let told = |body: &str| {
        let scene = Scene::good();
        let text = format!(
            "import torch\nfrom . import _my_demo_cpu_x\nops = torch.ops._my_demo_cpu_x\nNAMESPACE = '_my_demo_cpu_x'\n\
             def add_op_namespace_prefix(op_name: str) -> str:\n    'Of my::f.'\n    {body}\n"
        );
        scene.write("_ops.py", &text);
        scene.seal(METADATA_TEXT);
        Scene::findings(&scene.variant())
    };
    for good in [
        "return f'_my_demo_cpu_x::{op_name}'",
        "return '_my_demo_cpu_x::' + op_name",
        "return '{}::{}'.format(NAMESPACE, op_name)",
        "return f'{ops.name}::{op_name}'",
        "return f'{_my_demo_cpu_x.__name__}::{op_name}'",
        "return made_elsewhere(op_name)",
    ] {
        assert_eq!(told(good), [""; 0], "{good}");
    }
    for (wrong, made) in [
        ("return op_name", "f"),
        ("return 'my' + '::' + op_name", "my::f"),
        ("return f'_my_demo_cpu_x::{op_name}_2'", "_my_demo_cpu_x::f_2"),
        ("return '::'.join(('other', op_name))", "other::f"),
    ] {
        let expected = format!(
            "artifact/layout `_ops.py` makes the operator `{made}` of the name `f`, and not `_my_demo_cpu_x::f`"
        );
        assert_eq!(told(wrong), [expected], "{wrong}");
    }
}

#[test]
fn modules_that_python_takes_in_place_of_others_are_named() {
    for (first, hidden) in [
        ("functional.abi3.so", "functional.py"),
        ("functional.cpython-311-x86_64-linux-gnu.so", "functional.py"),
        ("_ops.abi3.so", "_ops.py"),
        ("__init__.so", "__init__.py"),
        ("functional/__init__.py", "functional.py"),
        ("layers/inner.so", "layers/inner.py"),
        ("_my_demo_cpu_x/__init__.py", "_my_demo_cpu_x.abi3.so"),
    ] {
        let scene = Scene::good();
        for path in [first, hidden].into_iter().filter(|path| !scene.variant().join(path).exists()) {
            scene.write(path, "");
        }
        scene.seal(METADATA_TEXT);
        let told = format!("artifact/layout `{first}` hides `{hidden}`: Python imports it instead");
        assert_eq!(Scene::findings(&scene.variant()), [told]);
    }
    // A directory without `__init__` gives way to the source, and a source of another name hides nothing.
    let scene = Scene::good();
    for path in ["functional.py", "functional/table.json", "functional/other.py", "layers.json"] {
        scene.write(path, "");
    }
    scene.seal(METADATA_TEXT);
    assert_eq!(Scene::findings(&scene.variant()), [""; 0]);
}

#[test]
fn unusable_metadata_are_told_in_full() {
    let scene = Scene::good();
    scene.write(METADATA, r#"{"name":"My","version":"1"}"#);
    assert!(Scene::findings(&scene.variant()).len() > 3);
    fs_err::remove_file(scene.variant().join(METADATA)).expect("removed");
    let expected = format!("artifact/metadata `{NAME}` has no `metadata.json`");
    assert_eq!(Scene::findings(&scene.variant()), [expected]);
}

#[test]
fn only_byte_code_that_python_made_of_the_sources_fits() {
    use std::os::unix::fs::MetadataExt;
    let scene = Scene::good();
    let source = fs_err::metadata(scene.variant().join("_ops.py")).expect("a source");
    let words = |flags: u32, first: u32, second: u32| -> Vec<u8> {
        let words = [flags, first, second].into_iter().flat_map(u32::to_le_bytes);
        b"\xa7\x0d\r\n".iter().copied().chain(words).chain(*b"code").collect()
    };
    let time = u32::try_from(source.mtime()).expect("a time of this century");
    let judged = |path: &str, content: &[u8]| -> Option<Finding> {
        let path = scene.variant().join(path);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs_err::write(&path, content).expect("written");
        let name = NAME.to_owned();
        let found = check(&BuiltVariant { name, directory: scene.variant() }).pop();
        fs_err::remove_file(path).expect("removed");
        found
    };
    let cached = "__pycache__/_ops.cpython-311.pyc";
    let size = u32::try_from(source.len()).expect("a short file");
    let fits = judged(cached, &words(0, time, size)).expect("a remark");
    assert_eq!((fits.code.id, fits.severity), ("artifact/bytecode", kernel_spec::Severity::Warning));
    for (path, content) in [
        (cached, words(0, time + 1, size)),
        (cached, words(0, time, size + 7)),
        (cached, words(1, time, size)),
        (cached, words(3, 0, 0)),
        (cached, words(4, time, size)),
        (cached, b"evil".to_vec()),
        (cached, Vec::new()),
        ("__pycache__/gone.cpython-311.pyc", words(0, time, 0)),
        ("__pycache__/sub/_ops.cpython-311.pyc", words(0, time, size)),
        ("__pycache__/note.txt", Vec::new()),
        ("_ops.pyc", words(0, time, size)),
        ("layers.pyc", words(0, time, 0)),
        ("layers/more.pyc", words(0, time, 0)),
    ] {
        let finding = judged(path, &content).unwrap_or_else(|| panic!("{path} passes"));
        assert_eq!(
            (finding.code.id, finding.severity),
            ("artifact/bytecode", kernel_spec::Severity::Error),
            "{path}"
        );
    }
}

#[test]
fn a_variant_that_is_a_link_is_none() {
    let scene = Scene::good();
    let build = scene.variant().with_file_name("build");
    fs_err::create_dir(&build).expect("made");
    let link = build.join(NAME);
    fs_err::os::unix::fs::symlink(scene.variant(), &link).expect("linked");
    let expected = format!("artifact/layout `{NAME}` is a link to another directory");
    assert_eq!(Scene::findings(&link), [expected]);
    // What the user names may be one.
    assert_eq!(artifacts::find(&link), [scene.variant().canonicalize_utf8().expect("there")]);
}

/// Each by itself, in a variant that is sealed with it.
#[test]
fn what_no_kernel_needs_is_named() {
    let told = |place: &str| {
        let scene = Scene::good();
        for path in ["strasse.txt", "\u{e9}.txt", place] {
            scene.write(path, "x");
        }
        scene.seal(METADATA_TEXT);
        Scene::findings(&scene.variant())
    };
    for (place, expected) in [
        (".git/config", "`.git` is hidden"),
        (".cache", "`.cache` is hidden"),
        (
            "start.pth",
            "`start.pth` is run by Python at its start, where it lies among the installed packages",
        ),
        ("libx.a", "`libx.a` is the input of a linker"),
        ("torch.py", "`torch.py` hides the real `torch` where the variant is in Python's path"),
        ("Layers/__init__.py", "`layers` and `Layers` differ in case alone"),
        (
            "Stra\u{df}e.txt",
            "`strasse.txt` and `Stra\u{df}e.txt` differ in how their letters are written alone",
        ),
        ("e\u{301}.txt", "`\u{e9}.txt` and `e\u{301}.txt` differ in how their letters are written alone"),
        ("layers/aux.py", "`layers/aux.py` has a name that Windows does not take"),
        ("COM1.tar.gz", "`COM1.tar.gz` has a name that Windows does not take"),
        ("what?.txt", "`what?.txt` has a name that Windows does not take"),
        ("note.", "`note.` has a name that Windows does not take"),
        ("other.abi3.so", "`other.abi3.so` is a second extension module beside `_my_demo_cpu_x.abi3.so`"),
    ] {
        let found = told(place);
        assert!(
            found.iter().any(|found| *found == format!("artifact/layout {expected}")),
            "{place}: {found:?}"
        );
    }
    for place in ["layers/torch.py", "helpers.py", "data.txt", "auxiliary.py", "com10.txt", "console.py"] {
        assert_eq!(told(place), [""; 0], "{place}");
    }
}

#[test]
fn rights_of_others_and_unknown_packages_are_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::good();
    let file = scene.variant().join("__init__.py");
    fs_err::set_permissions(file, std::fs::Permissions::from_mode(0o4755)).expect("changed");
    scene.seal(
        &METADATA_TEXT.replace("\"python-depends\":[]", "\"python-depends\":[\"einops\",\"left-pad\"]"),
    );
    assert_eq!(
        Scene::findings(&scene.variant()),
        [
            "artifact/layout `__init__.py` runs with the rights of its owner or group (setuid, setgid)",
            "artifact/metadata the metadata ask for the Python package `left-pad`, which loaders do not know",
        ]
    );
}
