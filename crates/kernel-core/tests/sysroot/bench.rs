//! A workbench: a folder in which a compiler's objects are linked as a plan says.

use std::process::{Command, Output};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_core::render::escape;
use kernel_core::toolchain::sysroot::link::{LinkParts, LinkPlan};
use kernel_core::toolchain::sysroot::review::Review;
use kernel_core::toolchain::sysroot::runtime::Runtime;
use kernel_core::toolchain::sysroot::{Policy, Sysroot, compat};
use kernel_spec::Finding;
use kernel_spec::arch::Cpu;

use super::systems::System;
pub use super::systems::run;

/// The processor that the tests run on.
#[cfg(target_arch = "x86_64")]
pub const CPU: Cpu = Cpu::X86_64;
#[cfg(target_arch = "aarch64")]
pub const CPU: Cpu = Cpu::Aarch64;

/// The test sources.
pub fn sources() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sysroot")
}

/// A C++ compiler: a command that runs with the workbench as working directory.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The command and its first arguments.
    pub command: Vec<String>,
    /// The root of the system it runs in.
    pub root: Utf8PathBuf,
    /// The processor it compiles for.
    pub cpu: Cpu,
    /// What the linker needs of the driver, such as `-fuse-ld=lld`.
    pub link_flags: Vec<String>,
}

impl Compiler {
    /// Stands for the workbench's folder in a command.
    pub const BENCH: &str = "@BENCH@";

    /// The compiler of this machine.
    pub fn host() -> Self {
        Self { command: vec!["g++".into()], root: "/".into(), cpu: CPU, link_flags: Vec::new() }
    }

    /// This machine's compiler for 64-bit Arm.
    pub fn aarch64() -> Self {
        Self { command: vec!["aarch64-linux-gnu-g++".into()], cpu: Cpu::Aarch64, ..Self::host() }
    }

    /// A compiler of a system, working in a bench.
    pub fn of(system: &System, driver: &str, link_flags: &[&str]) -> Self {
        let mut command = system.enter(Self::BENCH);
        command.push(driver.to_owned());
        Self {
            command,
            root: system.root.clone(),
            cpu: CPU,
            link_flags: link_flags.iter().map(|flag| (*flag).to_owned()).collect(),
        }
    }
}

/// A folder with the objects and libraries of one compiler under one policy.
pub struct Bench {
    directory: tempfile::TempDir,
    compiler: Compiler,
    policy: Policy,
    /// The folder of Torch's libraries, where the review may read them.
    pub torch: Option<Utf8PathBuf>,
}

impl Bench {
    /// An empty folder in which the compatibility archive is made and the sysroot is linked in.
    pub fn new(compiler: Compiler, policy: Policy) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let bench = Self { directory, compiler, policy, torch: None };
        let cache = bench.path("cache");
        let sysroot = Sysroot::ensure(&cache, policy, bench.compiler.cpu).unwrap();
        fs_err::rename(&sysroot.directory, bench.path("sysroot")).unwrap();
        fs_err::create_dir(bench.path("compat")).unwrap();
        let mut members = Vec::new();
        for (name, text) in compat::SOURCES {
            fs_err::write(bench.path("compat").join(name), text).unwrap();
            if let Some(stem) = name.strip_suffix(".c") {
                let object = format!("compat/{stem}.o");
                let source = format!("compat/{name}");
                bench.compile(
                    &[compat::FLAGS, &["-Wall", "-Wextra", "-Werror", "-c", &source, "-o", &object]].concat(),
                );
                members.push(object);
            }
        }
        run(Command::new("ar").arg("rcsD").arg("compat/libcompat.a").args(members).current_dir(bench.root()));
        bench
    }

    /// The folder.
    pub fn root(&self) -> &Utf8Path {
        Utf8Path::from_path(self.directory.path()).unwrap()
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> Utf8PathBuf {
        self.root().join(name)
    }

    /// Runs the compiler in the folder.
    pub fn compile(&self, arguments: &[&str]) -> Output {
        let (program, first) = self.compiler.command.split_first().unwrap();
        let first = first.iter().map(|argument| argument.replace(Compiler::BENCH, self.root().as_str()));
        run(Command::new(program).args(first).args(arguments).current_dir(self.root()))
    }

    /// Compiles a test source to an object.
    pub fn object(&self, source: &str, flags: &[&str]) -> Utf8PathBuf {
        for entry in sources().read_dir_utf8().unwrap() {
            let path = entry.unwrap().path().to_owned();
            fs_err::copy(&path, self.path(path.file_name().unwrap())).unwrap();
        }
        let object = format!("{source}.o");
        self.compile(
            &[&["-O2"], flags, &["-fPIC", "-fvisibility=hidden", "-c", source, "-o", &object]].concat(),
        );
        object.into()
    }

    /// The compiler's own files.
    pub fn parts(&self) -> LinkParts {
        let [crti, crtbegin, crtend, crtn, libgcc, libc_nonshared, libstdcxx] =
            LinkParts::FILE_NAMES.map(|name| {
                let output = self.compile(&[&format!("-print-file-name={name}")]);
                Utf8PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
            });
        let (libc_nonshared, libstdcxx) = (Some(libc_nonshared), Some(libstdcxx));
        LinkParts { crti, crtbegin, crtend, crtn, libgcc, libc_nonshared, libstdcxx }
    }

    /// A file of the compiler's, by the path it has where the compiler runs.
    fn seen_from_here(&self, path: &Utf8Path) -> Utf8PathBuf {
        self.compiler.root.join(path.as_str().trim_start_matches('/'))
    }

    /// Links objects to `NAME.so` with everything the compiler has, and returns what the checks say.
    pub fn link(&self, name: &str, objects: &[Utf8PathBuf], runtimes: &[&'static Runtime]) -> Vec<Finding> {
        self.link_with(name, objects, runtimes, &self.parts())
    }

    /// Links objects to `NAME.so`.
    pub fn link_with(
        &self,
        name: &str,
        objects: &[Utf8PathBuf],
        runtimes: &[&'static Runtime],
        parts: &LinkParts,
    ) -> Vec<Finding> {
        let exports = "{ global: run_checks; throw_across; kernel_*; local: *; };\n";
        fs_err::write(self.path("exports.map"), exports).unwrap();
        let (map, output) = (format!("{name}.map"), format!("{name}.so"));
        let plan = LinkPlan {
            policy: self.policy,
            cpu: self.compiler.cpu,
            objects,
            runtimes,
            parts,
            sysroot: Utf8Path::new("sysroot"),
            compat: Utf8Path::new("compat/libcompat.a"),
            version_script: Utf8Path::new("exports.map"),
            map: Utf8Path::new(&map),
            output: Utf8Path::new(&output),
        };
        let arguments: Vec<String> =
            plan.arguments().iter().map(|argument| escape::response(argument).unwrap()).collect();
        fs_err::write(self.path("link.rsp"), arguments.join("\n")).unwrap();
        let flags: Vec<&str> = self.compiler.link_flags.iter().map(String::as_str).collect();
        self.compile(&[&flags[..], &["@link.rsp"]].concat());
        let archive = parts.libstdcxx.as_deref().map(|path| self.seen_from_here(path));
        let review = Review {
            policy: self.policy,
            cpu: self.compiler.cpu,
            runtimes,
            library: &self.path(&output),
            map: &self.path(&map),
            archive: archive.as_deref(),
            torch: self.torch.as_deref(),
        };
        review.findings().unwrap()
    }
}
