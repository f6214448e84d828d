//! Makes libraries with the machine's compiler, and the damaged and disguised copies of them.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// A directory in which libraries are made.
pub(crate) struct Workshop {
    directory: TempDir,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        Self { directory: TempDir::new().expect("a directory for libraries") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs a tool in the directory.
    pub(crate) fn run(&self, tool: &str, arguments: &[&str]) {
        self.told(tool, arguments);
    }

    /// What a tool says that runs in the directory.
    #[expect(clippy::disallowed_methods, reason = "tests of this crate have no other door to processes")]
    pub(crate) fn told(&self, tool: &str, arguments: &[&str]) -> String {
        let output = Command::new(tool).args(arguments).current_dir(self.directory.path()).output();
        let output = output.unwrap_or_else(|error| panic!("`{tool}` is needed: {error}"));
        assert!(output.status.success(), "{tool} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A shared library of C++ source.
    pub(crate) fn library(&self, name: &str, source: &str, flags: &[&str]) -> Vec<u8> {
        let file = format!("{name}.cpp");
        fs_err::write(self.path(&file), source).expect("writes");
        let mut arguments = vec!["-shared", "-fPIC", "-O1", &file, "-o", name];
        arguments.extend(flags);
        self.run("g++", &arguments);
        self.read(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs_err::read(self.path(name)).expect("reads")
    }

    /// The same library without symbols and debug sections.
    pub(crate) fn stripped(&self, bytes: &[u8]) -> Vec<u8> {
        fs_err::write(self.path("to-strip.so"), bytes).expect("writes");
        self.run("strip", &["-s", "to-strip.so", "-o", "stripped.so"]);
        self.read("stripped.so")
    }
}

/// Ways to hide the section headers of an ELF library, which goes on loading and running: the table overwritten with
/// zeros, the pointers to it cleared, and both with the table cut off.
pub(crate) fn without_section_headers(bytes: &[u8]) -> [Vec<u8>; 3] {
    let (wide, little) = (bytes[4] == 2, bytes[5] == 1);
    let number = |place: &std::ops::Range<usize>| {
        let digits = bytes[place.clone()].iter();
        let add = |sum: usize, digit: &u8| sum << 8 | usize::from(*digit);
        if little { digits.rev().fold(0, add) } else { digits.fold(0, add) }
    };
    // Where the header says where the table is, and how large, how many and which of them names them.
    let (place, counts) = if wide { (0x28..0x30, 0x3a..0x40) } else { (0x20..0x24, 0x2e..0x34) };
    let start = number(&place);
    let length = number(&(counts.start..counts.start + 2)) * number(&(counts.start + 2..counts.start + 4));
    let mut zeroed = bytes.to_vec();
    zeroed[start..start + length].fill(0);
    let mut unnamed = bytes.to_vec();
    unnamed[place].fill(0);
    unnamed[counts].fill(0);
    let mut cut = unnamed.clone();
    cut.truncate(start);
    [zeroed, unnamed, cut]
}
