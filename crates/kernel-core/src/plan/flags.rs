//! The flags we add, all of them. What a distribution may have made a default (stack protector, CET, FORTIFY, PIC,
//! …) is stated here, on or off, so that two compilers of one version give one result wherever they were packaged.

use std::collections::BTreeSet;

use super::darwin;
use kernel_spec::Backend;
use kernel_spec::Version;
use kernel_spec::arch::Cpu;
use kernel_spec::matrix::Matrix;
use kernel_spec::plan::{CompilerFamily, Flag, Language, Profile};
use kernel_spec::variant::{ArchVariant, FrameworkAbi};

/// What decides the flags of a whole variant.
#[derive(Clone, Debug)]
pub struct Base<'a> {
    /// The variant.
    pub variant: &'a ArchVariant,
    /// How it is compiled.
    pub profile: Profile,
    /// Whose options are used.
    pub family: CompilerFamily,
    /// What torch and toolkits need and build.
    pub matrix: &'a Matrix,
    /// The torch whose headers are read, where the framework is torch.
    pub torch: Option<&'a Version>,
    /// The major version of the clang that compiles CUDA in nvcc's place.
    pub cuda_clang: Option<u32>,
}

/// Which macro tells sources their backend, and what else that backend defines (formats, section 4.3).
static BACKEND_DEFINITIONS: &[(Backend, &[&str])] = &[
    (Backend::Cpu, &["-DCPU_KERNEL"]),
    (Backend::Cuda, &["-DCUDA_KERNEL", "-DUSE_CUDA=1"]),
    (Backend::Metal, &["-DMETAL_KERNEL"]),
    // Without the last, HIP's headers do not know for whose GPUs they are.
    (Backend::Rocm, &["-DROCM_KERNEL", "-DUSE_ROCM=1", "-D__HIP_PLATFORM_AMD__=1"]),
    (Backend::Xpu, &["-DXPU_KERNEL", "-DUSE_XPU"]),
];

fn is_torch(variant: &ArchVariant) -> bool {
    !matches!(variant.framework, FrameworkAbi::TvmFfi(_))
}

impl Base<'_> {
    /// Flags before a component's own, which may therefore override them.
    pub fn before(&self, language: Language) -> Vec<Flag> {
        let mut flags = vec![Flag::plain(self.standard(language))];
        flags.extend(plain(self.optimisation()));
        flags.extend(plain(FORTIFIED));
        if language != Language::C && !darwin::is_for(self.variant) {
            flags.extend(plain(&["-D_GLIBCXX_USE_CXX11_ABI=1"]));
        }
        let (by_nvcc, by_clang) = (self.by_nvcc(language), self.is_offloaded(language));
        let host = self.host(language).into_iter().flat_map(|flag| match flag {
            Flag::Plain(flag) if by_nvcc => vec![Flag::Plain(format!("-Xcompiler={flag}"))],
            Flag::InBuild { option, build_path } if by_nvcc => {
                vec![Flag::in_build(format!("-Xcompiler={option}"), build_path)]
            }
            // The code generators for GPUs have nothing of the kind.
            Flag::Plain(flag) if by_clang && OF_THE_HOST.iter().any(|start| flag.starts_with(start)) => {
                vec![Flag::plain("-Xarch_host"), Flag::Plain(flag)]
            }
            flag => vec![flag],
        });
        flags.extend(host);
        if language == Language::Cuda && self.is_torch() {
            let own = if by_nvcc { TORCH_NVCC } else { &[] };
            flags.extend(plain(own).chain(plain(TORCH_CUDA)));
        }
        flags.extend(self.definitions().into_iter().map(Flag::Plain));
        if self.variant.compute.backend() == Backend::Metal && language != Language::C {
            flags.extend(darwin::embedded());
        }
        flags
    }

    fn by_nvcc(&self, language: Language) -> bool {
        language == Language::Cuda && self.cuda_clang.is_none()
    }

    /// Whether one clang compiles both halves of a source, for the host and for GPUs.
    fn is_offloaded(&self, language: Language) -> bool {
        language == Language::Hip || language == Language::Cuda && self.cuda_clang.is_some()
    }

    /// How the host's code is generated; nvcc passes this on to the compiler behind it.
    fn host(&self, language: Language) -> Vec<Flag> {
        let mut flags: Vec<Flag> = plain(CODE).collect();
        if darwin::is_for(self.variant) {
            flags.push(darwin::deployment_target(self.variant));
        } else {
            flags.extend(plain(ELF_CODE));
        }
        if language != Language::C {
            flags.extend(plain(&["-fvisibility-inlines-hidden"]));
        }
        match self.variant.system.cpu {
            Cpu::X86_64 => flags.extend(plain(&["-march=x86-64", "-mtune=generic", "-fcf-protection=full"])),
            Cpu::Aarch64 => {
                flags.extend(plain(&["-march=armv8-a", "-mtune=generic", "-mbranch-protection=standard"]));
            }
        }
        if self.family == CompilerFamily::Gcc && !self.is_offloaded(language) {
            flags.extend(plain(&["-fno-gnu-unique", "-fno-canonical-system-headers"]));
        }
        flags.push(Flag::in_build("-ffile-prefix-map=", "=./"));
        flags
    }

    /// Search paths of the toolchain parts, after a component's own.
    pub fn after(&self) -> Vec<Flag> {
        let mut flags = Vec::new();
        if is_torch(self.variant) || self.variant.compute.backend() == Backend::Metal {
            flags.push(Flag::in_build("-I", "include"));
        }
        for path in self.system_includes().iter().chain(self.backend_includes()) {
            flags.push(Flag::in_build("-isystem ", format!("tc/{path}")));
        }
        if self.variant.compute.backend() == Backend::Rocm {
            // A distribution's lie in `/usr/include`, which must stay behind the C++ library's own.
            flags.push(Flag::in_build("-idirafter ", "tc/hip/include"));
        }
        flags
    }

    /// The parts that the search paths reach into.
    pub fn parts(&self) -> Vec<String> {
        let paths = self.system_includes().iter().chain(self.backend_includes());
        let mut parts: BTreeSet<&str> = paths.filter_map(|path| path.split('/').next()).collect();
        if self.variant.compute.backend() == Backend::Rocm {
            parts.extend(["hip", "hip-clang", "hip-libraries"]);
        }
        if self.cuda_clang.is_some() {
            parts.insert("cuda-clang");
        }
        parts.into_iter().map(str::to_owned).collect()
    }

    /// Whether the library is a Python module that torch loads.
    pub fn is_torch(&self) -> bool {
        is_torch(self.variant)
    }

    /// The toolkit of its backend that it is compiled with.
    pub fn toolkit(&self) -> Option<Version> {
        Some(self.variant.compute.toolkit()?.version())
    }

    /// The macro by which sources may ask for the id while they are preprocessed.
    pub fn extension_macro(&self) -> &'static str {
        if is_torch(self.variant) { "TORCH_EXTENSION_NAME" } else { "TVM_FFI_EXTENSION_NAME" }
    }

    /// Flags of a generated unit.
    pub fn unit(&self) -> Vec<Flag> {
        self.before(Language::C)
    }

    /// Flags of the identity unit.
    pub fn identity(&self) -> Vec<Flag> {
        let mut flags = self.unit();
        if is_torch(self.variant) {
            flags.push(Flag::in_build("-isystem ", "tc/python"));
        }
        flags
    }

    fn system_includes(&self) -> &'static [&'static str] {
        match self.variant.framework {
            FrameworkAbi::Torch { .. } | FrameworkAbi::TorchStableAbi(_) => {
                &["torch/include", "torch/include/torch/csrc/api/include", "python"]
            }
            FrameworkAbi::TvmFfi(_) => &["tvm-ffi/include"],
        }
    }

    fn backend_includes(&self) -> &'static [&'static str] {
        match self.variant.compute.backend() {
            Backend::Cuda => &["cuda/include", "cuda/include/cccl"],
            _ => &[],
        }
    }

    fn standard(&self, language: Language) -> &'static str {
        match language {
            Language::C => "-std=gnu17",
            _ => match self.torch.map(|torch| self.matrix.cxx_standard(torch)) {
                Some(20) => "-std=c++20",
                _ => "-std=c++17",
            },
        }
    }

    fn optimisation(&self) -> &'static [&'static str] {
        match self.profile {
            Profile::Release => &["-O3", "-DNDEBUG"],
            Profile::Dev => &["-O2", "-g"],
        }
    }

    fn definitions(&self) -> Vec<String> {
        let backend = self.variant.compute.backend();
        let own =
            BACKEND_DEFINITIONS.iter().find(|(known, _)| *known == backend).map_or(&[][..], |(_, own)| own);
        let mut definitions: Vec<String> = own.iter().map(|&text| text.to_owned()).collect();
        if is_torch(self.variant) {
            definitions.push("-DPy_LIMITED_API=0x03090000".into());
        }
        if let FrameworkAbi::TorchStableAbi(version) = self.variant.framework {
            definitions.push(format!(
                "-DTORCH_TARGET_VERSION={:#018x}",
                version.major() << 56 | version.minor() << 48
            ));
        }
        definitions
    }
}

/// Beginnings of flags that mean the processor, not the GPU.
static OF_THE_HOST: &[&str] = &[
    "-march=",
    "-mtune=",
    "-fcf-protection",
    "-mbranch-protection",
    "-fstack-protector",
    "-fstack-clash-protection",
];

/// Checks of the C library's own functions.
static FORTIFIED: &[&str] = &["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"];

/// What torch's own build of extensions gives nvcc, without its four switches that take operators of half types away.
static TORCH_NVCC: &[&str] = &["--expt-relaxed-constexpr"];

/// The same where another compiler than nvcc takes CUDA: what no option of nvcc's own is.
static TORCH_CUDA: &[&str] = &["-DENABLE_FP8"];

/// Code generation that no profile changes.
static CODE: &[&str] = &[
    "-fPIC",
    "-fvisibility=hidden",
    "-fstack-protector-strong",
    "-fno-lto",
    "-fno-common",
    "-fdiagnostics-color=never",
];

/// The same where libraries are ELF.
static ELF_CODE: &[&str] = &["-fplt", "-fstack-clash-protection", "-fasynchronous-unwind-tables"];

fn plain(flags: &'static [&'static str]) -> impl Iterator<Item = Flag> {
    flags.iter().map(|&text| Flag::plain(text))
}
