//! A scene: an empty directory with a home of its own, and the real binary run in it with nothing of the outer
//! environment but `PATH`.

use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The repository that the tests belong to.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates/kernel-builder lies in the repository")
}

/// The interpreter of the tests' Python environment, with the real torch, TVM-FFI and `kernels`.
pub(crate) fn python() -> String {
    interpreter("KERNEL_BUILDER_PYTHON", ".environment", "scripts/python-environment")
}

/// The same with torch as its wheel is: compiled for CUDA, on a machine that need not have it.
pub(crate) fn ordinary_python() -> String {
    let make = "scripts/python-environment --ordinary .environment-ordinary";
    interpreter("KERNEL_BUILDER_ORDINARY_PYTHON", ".environment-ordinary", make)
}

/// The CUDA toolkit of the tests: NVIDIA's own, from its wheels.
pub(crate) fn cuda() -> String {
    let root = repository().join(".cuda/nvidia/cu13");
    assert!(root.join("bin/nvcc").exists(), "unpack the tests' CUDA toolkit with `scripts/cuda-toolkit`");
    root.to_str().expect("a UTF-8 path").to_owned()
}

/// NVIDIA's wheels of which a kernel is compiled for CUDA 12, as they are.
pub(crate) fn cuda_wheels() -> PathBuf {
    let directory = repository().join(".cuda-wheels");
    assert!(directory.exists(), "fetch the tests' wheels with `scripts/cuda-toolkit`");
    directory
}

#[expect(clippy::disallowed_methods, reason = "the place of the environment is the tests' own setting")]
fn interpreter(variable: &str, directory: &str, make: &str) -> String {
    let chosen = std::env::var(variable).ok().filter(|chosen| !chosen.is_empty());
    let path = chosen.map_or_else(|| repository().join(directory).join("bin/python"), PathBuf::from);
    assert!(path.exists(), "make the tests' environment with `{make}`");
    path.to_str().expect("a UTF-8 path").to_owned()
}

/// Whether the tests run as the superuser, whom no file's rights stop.
pub(crate) fn is_root() -> bool {
    fs_err::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// A directory to run the binary in.
pub(crate) struct Scene {
    directory: TempDir,
    variables: BTreeMap<String, String>,
}

/// What a run did.
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Scene {
    /// An empty scene.
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let home = directory.path().join("home");
        fs_err::create_dir(&home).expect("a home");
        fs_err::create_dir(directory.path().join("here")).expect("a working directory");
        let scene = Self { directory, variables: BTreeMap::new() };
        scene.variable("HOME", home.to_str().expect("a UTF-8 path"))
    }

    /// Sets an environment variable.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Writes a file, relative to the working directory.
    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let path = self.path(path);
        fs_err::create_dir_all(path.parent().expect("a directory")).expect("directories");
        fs_err::write(path, text).expect("a file");
        self
    }

    /// Makes an empty virtual environment and answers the name of its folder below `lib`.
    #[expect(clippy::disallowed_methods, reason = "the tests start Python as a shell does")]
    pub(crate) fn environment(&self, path: &str) -> String {
        let made =
            Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(self.path(path)).status();
        assert!(made.expect("python3 starts").success(), "python3 makes an environment");
        let mut folders = fs_err::read_dir(self.path(path).join("lib")).expect("lib");
        let folder = folders.next().expect("a folder").expect("an entry").file_name();
        folder.into_string().expect("a UTF-8 name")
    }

    /// The absolute form of a path in the working directory.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join("here").join(path)
    }

    /// The binary, ready to run in the working directory.
    #[expect(clippy::disallowed_methods, reason = "the tests start the binary as a shell does")]
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kernel-builder"));
        command.args(arguments).current_dir(self.path("")).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).envs(&self.variables);
        command
    }

    /// Runs a tool of the machine in the working directory.
    #[expect(clippy::disallowed_methods, reason = "the tests start tools as a shell does")]
    pub(crate) fn tool(&self, name: &str, arguments: &[&str]) {
        let output = Command::new(name).args(arguments).current_dir(self.path("")).output();
        let output = output.unwrap_or_else(|error| panic!("`{name}` is needed: {error}"));
        assert!(output.status.success(), "{name} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Runs the binary to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_in("", arguments)
    }

    /// Runs it in a folder of the working directory.
    pub(crate) fn run_in(&self, folder: &str, arguments: &[&str]) -> Ran {
        self.ran(self.command(arguments).current_dir(self.path(folder)))
    }

    /// Runs it as a user without any rights; only root can.
    pub(crate) fn run_as_nobody(&self, arguments: &[&str]) -> Ran {
        self.run_through(&["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"], arguments)
    }

    /// Runs it, and ends it after a minute: for what could wait without end.
    pub(crate) fn run_for_a_minute(&self, arguments: &[&str]) -> Ran {
        self.run_through(&["timeout", "60"], arguments)
    }

    /// Runs it through a program that starts others.
    #[expect(clippy::disallowed_methods, reason = "the tests start the binary as a shell does")]
    fn run_through(&self, starter: &[&str], arguments: &[&str]) -> Ran {
        let own = self.command(arguments);
        let mut command = Command::new(starter[0]);
        command.args(&starter[1..]);
        command.arg(own.get_program()).args(own.get_args()).current_dir(self.path("")).env_clear();
        command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        self.ran(command.stdin(Stdio::null()))
    }

    pub(crate) fn ran(&self, command: &mut Command) -> Ran {
        let output = command.output().expect("the binary starts");
        let text = |bytes: Vec<u8>| self.redact(&String::from_utf8(bytes).expect("output is UTF-8"));
        Ran {
            status: output.status.code().expect("the binary is not killed"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Replaces what differs from run to run.
    fn redact(&self, text: &str) -> String {
        let directory = self.directory.path().to_str().expect("a UTF-8 path");
        text.replace(directory, "[SCENE]").replace(env!("CARGO_PKG_VERSION"), "[VERSION]")
    }
}

impl Ran {
    /// The lines of `--json` output, each of which must be an object.
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        self.stdout.lines().map(parse).collect()
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, stdout, stderr } = self;
        write!(formatter, "exit status: {status}\n----- stdout\n{stdout}----- stderr\n{stderr}")
    }
}
