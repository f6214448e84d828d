//! The link edge: the exact arguments that make a kernel's shared library. Pure, so that every engine links the same.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::arch::Cpu;

use super::policy::Policy;
use super::runtime::{Reach, Runtime};
use super::system_libraries;

/// The compiler's own files that a link takes, as paths seen from the build directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkParts {
    /// Start of `.init`.
    pub crti: Utf8PathBuf,
    /// Start of constructors in a shared object.
    pub crtbegin: Utf8PathBuf,
    /// End of constructors in a shared object.
    pub crtend: Utf8PathBuf,
    /// End of `.init`.
    pub crtn: Utf8PathBuf,
    /// The compiler's support functions.
    pub libgcc: Utf8PathBuf,
    /// The part of the C library that is linked into every library; musl has none.
    pub libc_nonshared: Option<Utf8PathBuf>,
    /// The static C++ library; some systems pack it apart.
    pub libstdcxx: Option<Utf8PathBuf>,
}

impl LinkParts {
    /// The file names by which a compiler knows the parts, in the order of the fields: `-print-file-name=NAME` prints
    /// where each is, or the bare name when there is none.
    pub const FILE_NAMES: [&str; 7] =
        ["crti.o", "crtbeginS.o", "crtendS.o", "crtn.o", "libgcc.a", "libc_nonshared.a", "libstdc++.a"];
}

/// Everything that decides one link.
#[derive(Clone, Copy, Debug)]
pub struct LinkPlan<'a> {
    /// The systems the result must load on.
    pub policy: Policy,
    /// The architecture.
    pub cpu: Cpu,
    /// The kernel's objects, in a fixed order.
    pub objects: &'a [Utf8PathBuf],
    /// Libraries of the kernel's process.
    pub runtimes: &'a [&'static Runtime],
    /// The compiler's own files.
    pub parts: &'a LinkParts,
    /// The folder of stub libraries, as seen from the build directory.
    pub sysroot: &'a Utf8Path,
    /// The archive of compatibility members.
    pub compat: &'a Utf8Path,
    /// The version script that names the entry points.
    pub version_script: &'a Utf8Path,
    /// Where the linker reports what it took from where.
    pub map: &'a Utf8Path,
    /// The result.
    pub output: &'a Utf8Path,
}

/// Flags that a distribution or a linker may default one way or the other.
const STATED: &[&str] = &[
    "-Wl,--exclude-libs,ALL",
    "-Wl,--eh-frame-hdr",
    "-Wl,--build-id=sha1",
    "-Wl,--hash-style=gnu",
    "-Wl,--compress-debug-sections=none",
    "-Wl,-z,relro",
    "-Wl,-z,now",
    "-Wl,-z,noexecstack",
    "-Wl,-z,separate-code",
];

/// Needed whatever the objects call: `ld` forgets an `--as-needed` library that no object before it calls, and what a
/// member of the static libstdc++ calls would then come from further members, exception handling and all.
pub(super) const CXX_LIBRARY: &str = "libstdc++.so.6";

impl LinkPlan<'_> {
    /// The arguments after the C++ driver's name. `-fuse-ld` and the like belong to the driver, not here.
    ///
    /// Undefined symbols stay allowed, since Torch's are defined by the process; `undefined` checks them afterwards.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["-shared".to_owned(), "-o".to_owned(), self.output.to_string()];
        arguments.extend(STATED.iter().map(|flag| (*flag).to_owned()));
        arguments.push(format!("-Wl,-z,max-page-size={}", self.page_size()));
        // A path may hold a comma, at which `-Wl` would split it.
        for option in [format!("--version-script={}", self.version_script), format!("-Map={}", self.map)] {
            arguments.extend(["-Xlinker".to_owned(), option]);
        }
        if self.policy == Policy::Host {
            arguments.extend(self.objects.iter().map(ToString::to_string));
            arguments.extend(self.named(&[]));
            return arguments;
        }
        arguments.push("-nostdlib".to_owned());
        let start = [&self.parts.crti, &self.parts.crtbegin];
        arguments.extend(start.into_iter().chain(self.objects).map(ToString::to_string));
        arguments.extend(self.named(&[CXX_LIBRARY]));
        arguments.extend(self.system());
        arguments.extend(self.archives());
        // Again, for what the archives' members call.
        arguments.extend(self.system());
        arguments.extend([&self.parts.crtend, &self.parts.crtn].map(ToString::to_string));
        arguments
    }

    /// Everything from static archives; the compatibility members come first so that they spare libstdc++'s, and
    /// again for what those call.
    fn archives(&self) -> impl Iterator<Item = String> {
        let parts = self.parts;
        let libstdcxx =
            parts.libstdcxx.as_deref().map(|archive| [archive, self.compat]).into_iter().flatten();
        std::iter::once(self.compat)
            .chain(libstdcxx)
            .chain(parts.libc_nonshared.as_deref())
            .chain([parts.libgcc.as_path()])
            .map(ToString::to_string)
    }

    /// Libraries of the process that the result names as needed.
    pub fn needed(&self) -> impl Iterator<Item = &'static str> {
        let named = self.runtimes.iter().filter(|runtime| runtime.reach == Reach::Named);
        named.map(|runtime| runtime.soname)
    }

    /// Libraries that are needed even where nothing is resolved through them.
    fn named(&self, further: &[&'static str]) -> Vec<String> {
        let sonames = self.needed().chain(further.iter().copied());
        let mut arguments = vec!["-Wl,--no-as-needed".to_owned()];
        arguments.extend(sonames.map(|soname| self.sysroot.join(soname).into_string()));
        arguments.push("-Wl,--as-needed".to_owned());
        arguments
    }

    fn system(&self) -> Vec<String> {
        let libraries = system_libraries(self.policy, self.cpu);
        libraries.iter().map(|(library, _)| self.sysroot.join(library.soname).into_string()).collect()
    }

    /// The largest page of any system of the architecture, in bytes.
    fn page_size(&self) -> u32 {
        match self.cpu {
            Cpu::X86_64 => 0x1000,
            Cpu::Aarch64 => 0x1_0000,
        }
    }
}
