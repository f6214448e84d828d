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
    #[expect(clippy::disallowed_methods, reason = "tests of this crate have no other door to processes")]
    pub(crate) fn run(&self, tool: &str, arguments: &[&str]) {
        let output = Command::new(tool).args(arguments).current_dir(self.directory.path()).output();
        let output = output.unwrap_or_else(|error| panic!("`{tool}` is needed: {error}"));
        assert!(output.status.success(), "{tool} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
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

/// Ways to hide the section headers of a 64-bit little-endian library, which goes on loading and running: the table
/// overwritten with zeros, the pointers to it cleared, and both with the table cut off.
pub(crate) fn without_section_headers(bytes: &[u8]) -> [Vec<u8>; 3] {
    let start = usize::try_from(u64::from_le_bytes(bytes[0x28..0x30].try_into().expect("eight bytes")))
        .expect("fits");
    let count = usize::from(u16::from_le_bytes([bytes[0x3c], bytes[0x3d]]));
    let mut zeroed = bytes.to_vec();
    zeroed[start..start + count * 64].fill(0);
    let mut unnamed = bytes.to_vec();
    unnamed[0x28..0x30].fill(0);
    unnamed[0x3c..0x40].fill(0);
    let mut cut = unnamed.clone();
    cut.truncate(start);
    [zeroed, unnamed, cut]
}
