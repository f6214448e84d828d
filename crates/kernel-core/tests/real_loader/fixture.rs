//! Small libraries that use whatever a loader does for one, and say whether it did.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// The function that Python asks for.
pub const ENTRY: &str = "PyInit__relu_cpu_x";

/// Which of these a library is.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub name: &'static str,
    pub flags: &'static [&'static str],
}

/// What linkers do by default, and what they do when asked for the other form of everything.
pub const KINDS: &[Kind] = &[
    Kind { name: "usual", flags: &["-Wl,--hash-style=gnu", "-Wl,-z,lazy", "-ftls-model=global-dynamic"] },
    Kind {
        name: "other",
        flags: &[
            "-Wl,--hash-style=sysv",
            "-Wl,-z,now",
            "-Wl,-z,noseparate-code",
            "-Wl,-z,pack-relative-relocs",
            "-ftls-model=initial-exec",
            "-Wl,--version-script,own.map",
        ],
    },
    Kind {
        name: "plain",
        flags: &[
            "-Wl,--hash-style=both",
            "-Wl,-z,norelro",
            "-Wl,-z,nocombreloc",
            "-mtls-dialect=gnu2",
            "-fno-plt",
        ],
    },
];

/// A library and the program that loads it, in a directory of their own.
pub struct Fixture {
    directory: TempDir,
    pub kind: Kind,
    pub bytes: Vec<u8>,
}

impl Fixture {
    pub fn new(kind: Kind) -> Self {
        let directory = TempDir::new().unwrap();
        let mut fixture = Self { directory, kind, bytes: Vec::new() };
        for (name, text) in [
            ("library.cc", include_str!("library.cc")),
            ("loader.cc", include_str!("loader.cc")),
            ("own.map", "OWN_1 { global: PyInit*; local: *; };"),
        ] {
            fs_err::write(fixture.path(name), text).unwrap();
        }
        // The file's place is that of a variant, from whose name the judge takes what to expect.
        fs_err::create_dir(fixture.path(VARIANT)).unwrap();
        fixture.compile(&["-O1", "loader.cc", "-o", "loader", "-ldl"]);
        let own = fixture.library().to_string_lossy().into_owned();
        let known = ["-shared", "-fPIC", "-O1", "-s", "-fvisibility=hidden", "library.cc", "-o", &own];
        fixture.compile(&[&known[..], kind.flags].concat());
        fixture.bytes = fs_err::read(fixture.library()).unwrap();
        fixture
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn library(&self) -> PathBuf {
        self.path(VARIANT).join("_relu_cpu_x.abi3.so")
    }

    /// Where changed copies lie when they are judged.
    pub fn judged(&self) -> PathBuf {
        self.path(VARIANT).join("changed.so")
    }

    fn compile(&self, arguments: &[&str]) {
        let output = Command::new("g++").args(arguments).current_dir(self.directory.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A variant without a framework's own libraries in the way.
pub const VARIANT: &str = "torch213-cxx11-cpu-x86_64-linux";
