//! Discovery against made-up environments whose interpreter counts how often it is started.

use std::os::unix::fs::PermissionsExt;

use kernel_spec::event::Silent;

use super::*;
use crate::context::{Cancellation, Environment};

/// A directory with a stand-in for Python that describes itself as `described` and writes a line to `starts`.
struct Fixture {
    directory: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self { directory: tempfile::tempdir().expect("a directory") };
        let site = fixture.path().join("environment/site");
        fs_err::create_dir_all(fixture.path().join("environment/bin")).expect("a directory");
        fs_err::create_dir_all(&site).expect("a directory");
        let facts = serde_json::json!({
            "interpreter": fixture.python(), "version": "3.12.4", "implementation": "CPython",
            "free_threaded": false, "include": "/nowhere", "prefix": fixture.path().join("environment"),
            "search": [site], "cpu": "x86_64", "os": "linux", "macos": "",
        });
        let script = format!("#!/bin/sh\necho start >> '{}/starts'\necho '{facts}'\n", fixture.path());
        fs_err::write(fixture.python(), script).expect("written");
        let executable = std::fs::Permissions::from_mode(0o755);
        fs_err::set_permissions(fixture.python(), executable).expect("made executable");
        fixture
    }

    fn path(&self) -> &Utf8Path {
        Utf8Path::from_path(self.directory.path()).expect("UTF-8")
    }

    fn python(&self) -> Utf8PathBuf {
        self.path().join("environment/bin/python")
    }

    fn context(&self, variables: &[(&str, &str)]) -> Context {
        let cache = ("KERNEL_BUILDER_CACHE_DIR", self.path().join("cache").into_string());
        let own = variables.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let all = own.chain([cache]).map(|(name, value)| (name.to_owned(), value));
        Context {
            sink: std::sync::Arc::new(Silent),
            environment: Environment::new(all),
            working_directory: self.path().to_owned(),
            now: 0,
            source_date: 0,
            offline: true,
            cancelled: Cancellation::default(),
        }
    }

    fn discover(&self) -> PythonEnvironment {
        PythonEnvironment::discover(&self.context(&[]), Some("environment")).expect("discovered")
    }

    fn starts(&self) -> usize {
        fs_err::read_to_string(self.path().join("starts")).unwrap_or_default().lines().count()
    }

    fn install(&self, package: &str, module: &str, text: &str) {
        let root = self.path().join("environment/site").join(package);
        fs_err::create_dir_all(&root).expect("a directory");
        fs_err::write(root.join("__init__.py"), "").expect("written");
        fs_err::write(root.join(module), text).expect("written");
    }
}

const TORCH: &str = "from typing import Optional\n\n__version__ = '2.15.0+cu132'\ndebug = False\n\
    cuda: Optional[str] = '13.2'\ngit_version = 'd0f2af8b'\nhip: Optional[str] = None\nxpu: Optional[str] = None\n";

#[test]
fn packages_are_read_as_files_and_an_upgrade_is_seen_without_a_new_start() {
    let fixture = Fixture::new();
    fixture.install("torch", "version.py", TORCH);
    fixture.install("tvm_ffi", "_version.py", "__version__: str\n__version__ = version = '0.1.15.post2'\n");
    let first = fixture.discover();
    let torch = first.torch.as_ref().expect("torch");
    assert_eq!(
        (torch.version.to_string(), torch.full_version.as_str()),
        ("2.15.0".to_owned(), "2.15.0+cu132")
    );
    assert_eq!(torch.cuda.as_ref().map(ToString::to_string).as_deref(), Some("13.2"));
    assert!(torch.cxx11_abi && torch.hip.is_none() && torch.xpu.is_none());
    assert_eq!(
        first.tvm_ffi.as_ref().map(|installed| installed.version.to_string()).as_deref(),
        Some("0.1.15")
    );
    assert_eq!(first.machine().detected_backend().name_in_variants(), "cu132");

    fixture.install(
        "torch",
        "version.py",
        &TORCH.replace("2.15.0+cu132", "2.16.0").replace("'13.2'", "None"),
    );
    let second = fixture.discover();
    assert_eq!(second.torch.as_ref().map(|torch| torch.full_version.as_str()), Some("2.16.0"));
    assert_eq!(second.machine().detected_backend().name_in_variants(), "cpu");
    assert_eq!(fixture.starts(), 1);
}

#[test]
fn a_changed_interpreter_or_set_of_packages_is_asked_again() {
    let fixture = Fixture::new();
    fixture.discover();
    fixture.install("torch", "version.py", TORCH);
    assert!(fixture.discover().torch.is_some());
    assert_eq!(fixture.starts(), 2);
    let text = fs_err::read_to_string(fixture.python()).expect("read");
    fs_err::write(fixture.python(), text.replace("3.12.4", "3.12.10")).expect("written");
    assert_eq!(fixture.discover().version.to_string(), "3.12.10");
    assert_eq!(fixture.starts(), 3);
}

#[test]
fn a_broken_cache_entry_is_replaced() {
    let fixture = Fixture::new();
    fixture.discover();
    for entry in fs_err::read_dir(fixture.path().join("cache/python")).expect("a cache") {
        fs_err::write(entry.expect("an entry").path(), "{").expect("written");
    }
    fixture.discover();
    fixture.discover();
    assert_eq!(fixture.starts(), 2);
}

#[test]
fn the_choice_says_why_and_follows_the_active_environment() {
    let fixture = Fixture::new();
    let environment = fixture.path().join("environment");
    let why = |variables: &[(&str, &str)], chosen: Option<&str>| {
        PythonEnvironment::discover(&fixture.context(variables), chosen).map(|python| python.why)
    };
    let active =
        why(&[("VIRTUAL_ENV", environment.as_str()), ("CONDA_PREFIX", "/none")], None).expect("chosen");
    assert_eq!(active, "it is the active virtual environment (`VIRTUAL_ENV`)");
    assert_eq!(
        why(&[("VIRTUAL_ENV", "/none")], Some("environment/bin/python")).expect("chosen"),
        "`--python` names it"
    );
    for (variables, chosen, expected) in [
        (vec![("VIRTUAL_ENV", "/none")], None, "`VIRTUAL_ENV` is `/none`, but there is no interpreter"),
        (vec![("PATH", "/none")], None, "no Python was found"),
        (vec![("PATH", "/none")], Some("python9"), "`--python` is `python9`, but there is no interpreter"),
        (vec![], Some("cache"), "`--python` is `cache`, but there is no interpreter"),
    ] {
        let error = why(&variables, chosen).expect_err(expected).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn what_is_no_python_is_an_error() {
    let fixture = Fixture::new();
    fs_err::write(fixture.python(), "#!/bin/sh\necho hello\n").expect("written");
    let error =
        PythonEnvironment::discover(&fixture.context(&[]), Some("environment")).expect_err("no Python");
    assert!(error.to_string().ends_with("did not describe itself as Python does: hello"), "{error}");
}

#[test]
fn a_torch_without_a_version_is_broken() {
    let fixture = Fixture::new();
    fixture.install("torch", "other.py", "");
    let error = PythonEnvironment::discover(&fixture.context(&[]), Some("environment")).expect_err("broken");
    assert!(error.to_string().contains("installation of torch"), "{error}");
}
