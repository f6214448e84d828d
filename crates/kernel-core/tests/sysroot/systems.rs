//! The systems that `scripts/system-roots` unpacks, entered with bubblewrap.

use std::process::{Command, Output};

use camino::{Utf8Path, Utf8PathBuf};

use super::bench::{Compiler, run};

/// An unpacked system.
#[derive(Clone, Debug)]
pub struct System {
    root: Utf8PathBuf,
    bwrap: Utf8PathBuf,
}

impl System {
    /// The system of this name, unpacked where it is not there yet.
    pub fn get(name: &str) -> Self {
        let repository = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        run(Command::new(repository.join("scripts/system-roots")).arg(name));
        let directory = repository.join(".environment-systems");
        let own = directory.join("bwrap");
        Self { root: directory.join(name), bwrap: if own.exists() { own } else { "bwrap".into() } }
    }

    /// A file of the system, seen from outside; links are followed inside it.
    pub fn file(&self, path: &str) -> Utf8PathBuf {
        self.root.join(path)
    }

    /// The arguments that start a command in the system, with `folder` as `/work`.
    fn enter(&self, folder: &str) -> Vec<String> {
        let mut command = vec![self.bwrap.to_string(), "--ro-bind".into(), self.root.to_string(), "/".into()];
        command.extend(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind"].map(String::from));
        command.extend(
            [folder, "/work", "--chdir", "/work", "--unshare-all", "--die-with-parent"].map(String::from),
        );
        command
    }

    /// Runs a program of `folder` in the system.
    pub fn run(&self, folder: &Utf8Path, command: &[&str]) -> Output {
        let enter = self.enter(folder.as_str());
        run(Command::new(&enter[0]).args(&enter[1..]).args(command))
    }

    /// A compiler of the system, working in a bench.
    pub fn compiler(&self, driver: &str, link_flags: &[&str]) -> Compiler {
        let mut command = self.enter(Compiler::BENCH);
        command.push(driver.to_owned());
        Compiler {
            command,
            root: self.root.clone(),
            link_flags: link_flags.iter().map(|flag| (*flag).to_owned()).collect(),
        }
    }
}
