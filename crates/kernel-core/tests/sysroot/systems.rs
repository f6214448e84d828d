//! The systems that `scripts/system-roots` unpacks, entered with bubblewrap.

use std::process::{Command, Output};

use camino::{Utf8Path, Utf8PathBuf};

/// An unpacked system.
#[derive(Clone, Debug)]
pub struct System {
    /// Where it is unpacked.
    pub root: Utf8PathBuf,
    architecture: &'static str,
    bwrap: Utf8PathBuf,
}

impl System {
    /// The system of this name, unpacked where it is not there yet.
    pub fn get(name: &str) -> Self {
        let repository = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        run(Command::new(repository.join("scripts/system-roots")).arg(name));
        let directory = repository.join(".environment-systems");
        let own = directory.join("bwrap");
        let architecture = if name.ends_with("aarch64") { "aarch64" } else { std::env::consts::ARCH };
        Self {
            root: directory.join(name),
            architecture,
            bwrap: if own.exists() { own } else { "bwrap".into() },
        }
    }

    /// Compiles a C file of `folder` to a program that runs on this system: with its start files and libraries.
    pub fn program(&self, folder: &Utf8Path, source: &str, flags: &[&str], output: &str) {
        let architecture = self.architecture;
        let multiarch = self.root.join(format!("usr/lib/{architecture}-linux-gnu"));
        let libraries = self.root.join(format!("lib/{architecture}-linux-gnu"));
        let native = architecture == std::env::consts::ARCH;
        run(Command::new(if native { "gcc".into() } else { format!("{architecture}-linux-gnu-gcc") })
            .args(["-nostdlib", "-no-pie", "-fno-stack-protector", source, "-o", output])
            .args(flags)
            .args(["crt1.o", "crti.o"].map(|name| multiarch.join(name)))
            .args(["libdl.so.2", "libc.so.6"].map(|name| libraries.join(name)))
            .args(["libc_nonshared.a", "crtn.o"].map(|name| multiarch.join(name)))
            .arg("-Wl,--allow-shlib-undefined")
            .current_dir(folder));
    }

    /// The arguments that start a command in the system, with `folder` as `/scene`.
    pub fn enter(&self, folder: &str) -> Vec<String> {
        let mut command = vec![self.bwrap.to_string(), "--ro-bind".into(), self.root.to_string(), "/".into()];
        command.extend(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind"].map(String::from));
        command.extend(
            [folder, "/scene", "--chdir", "/scene", "--unshare-all", "--die-with-parent"].map(String::from),
        );
        command
    }

    /// Runs a program of `folder` in the system.
    pub fn run(&self, folder: &Utf8Path, command: &[&str]) -> Output {
        let enter = self.enter(folder.as_str());
        run(Command::new(&enter[0]).args(&enter[1..]).args(command))
    }
}

/// Runs a command that has to succeed.
pub fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}\n{}{}", text(&output.stdout), text(&output.stderr));
    output
}
