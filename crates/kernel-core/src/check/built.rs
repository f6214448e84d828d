//! Built variants: every library against the policy that the variant's name asks for, and the Python sources beside it.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_abi::image::{Format, GpuKind, Image, Kind, Machine};
use kernel_abi::{ImageError, Policy};
use kernel_spec::arch::{Cpu, Os, System};
use kernel_spec::code::{abi, artifact};
use kernel_spec::finding::Subject;
use kernel_spec::variant::{FrameworkAbi, Variant};
use kernel_spec::{Backend, Finding, Framework, Version};

pub use kernel_abi::policy::Manylinux;

use super::layout::Entry;
use super::{library, python_package};
use crate::toolchain::sysroot::runtime::Runtime;
use crate::toolchain::sysroot::torch_names::Torch;
use crate::toolchain::sysroot::undefined::{self, Definitions, TorchNames};
use crate::{Result, artifacts, tree};

/// What to judge by instead of what a variant's name says.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Oldest Linux systems.
    pub manylinux: Option<Manylinux>,
    /// Judge no versions of the system's libraries: the variant is for systems like this one.
    pub this_system: bool,
    /// Leave out what is undefined: the review of the link knows more about it.
    pub link_reviewed: bool,
    /// Oldest Python.
    pub python: Option<Version>,
    /// Oldest macOS.
    pub macos: Option<Version>,
    /// Oldest Torch of the stable ABI.
    pub torch_stable_abi: Option<Version>,
}

/// A directory that holds a built variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BuiltVariant {
    /// Its name: the directory's.
    pub name: String,
    /// Where it is.
    pub directory: Utf8PathBuf,
}

/// The built variants of a project, of a directory of variants, or the one that `directory` is. Sorted by name.
pub fn find(directory: &Utf8Path) -> Vec<BuiltVariant> {
    let variant = |directory: Utf8PathBuf| {
        let name = directory.file_name().unwrap_or_default().to_owned();
        BuiltVariant { name, directory }
    };
    artifacts::find(directory).into_iter().map(variant).collect()
}

/// Findings about one variant: its libraries and its Python sources.
pub fn check(variant: &BuiltVariant, overrides: &Overrides) -> Result<Vec<Finding>> {
    let metadata = artifacts::metadata(&variant.directory).ok();
    let package = metadata.as_ref().map(|metadata| metadata.name.python_name()).unwrap_or_default();
    let is_library = |file: &String| library::is_library(&variant.directory.join(file));
    // A directory that cannot be listed is told of with the layout.
    let Ok(files) = files(&variant.directory) else { return Ok(Vec::new()) };
    let libraries: Vec<String> = files.into_iter().filter(is_library).collect();
    let entry = Entry::of(variant);
    let backend = metadata.as_ref().map(|metadata| &metadata.backend);
    let promised: Option<BTreeSet<String>> =
        backend.and_then(|backend| backend.archs.clone()).map(BTreeSet::from_iter);
    let mut findings = Vec::new();
    // The code for GPUs in all libraries, as long as each can be read.
    let mut codes = Some(Vec::new());
    for file in &libraries {
        let image = match library::read(&variant.directory.join(file)) {
            Ok(image) => image,
            Err(error) => {
                findings.push(error.finding(file));
                codes = None;
                continue;
            }
        };
        if let Some(codes) = &mut codes {
            codes.extend(image.objects.iter().flat_map(|object| object.gpu.iter().cloned()));
        }
        let mut policy = policy(&variant.name, &image, overrides);
        policy.gpu = promised.clone().filter(|_| libraries.len() == 1);
        let entry = entry.as_ref().filter(|entry| entry.file == *file);
        findings.extend(entry.and_then(|entry| entry.check(&variant.name, &image)));
        findings.extend(kernel_abi::check(file, &image, &policy));
        if !overrides.link_reviewed {
            findings.extend(undefined(file, &image, &policy, &variant.name));
        }
    }
    if let (Some(codes), Some(backend), Some(promised), [_, _, ..]) =
        (codes, backend, &promised, &libraries[..])
    {
        findings.extend(kernel_abi::gpu_code(codes, backend.backend, promised));
    }
    findings.extend(python_package::check(
        (&variant.directory, &variant.directory),
        "",
        &package,
        metadata.as_ref().map(|metadata| &*metadata.python_depends),
        &artifact::UNREADABLE,
    )?);
    for finding in &mut findings {
        finding.subject.variant = Some(variant.name.clone());
    }
    Ok(findings)
}

/// Findings about one library or program outside any variant.
pub fn check_file(path: &Utf8Path, overrides: &Overrides) -> Vec<Finding> {
    let variant = path.parent().and_then(Utf8Path::file_name).unwrap_or_default();
    let judged = library::read(path).map(|image| {
        let policy = policy(variant, &image, overrides);
        let is_program = image.objects.iter().all(|object| object.kind == Kind::Program);
        let mut findings = if is_program {
            let about = Subject { file: Some(path.to_string()), ..Subject::default() };
            let message = format!("`{path}` is a program, and judged by what it takes from the system");
            let mut findings = kernel_abi::check_program(path.as_str(), &image, &policy);
            findings.push(
                Finding::note(&abi::NOT_SHARED, message).help("give a library to judge one").about(about),
            );
            findings
        } else {
            kernel_abi::check(path.as_str(), &image, &policy)
        };
        findings.extend(undefined(path.as_str(), &image, &policy, variant));
        findings
    });
    judged.unwrap_or_else(|error: ImageError| vec![error.finding(path.as_str())])
}

/// Names without a version that nothing in the process of a variant defines, as the review of a link finds them; where the
/// variant has no name that says what is in its process, everything known may be.
fn undefined(file: &str, image: &Image, policy: &Policy, variant: &str) -> Vec<Finding> {
    let cpu = policy.system.cpu;
    let machine = match cpu {
        Cpu::Aarch64 => Machine::Aarch64,
        Cpu::X86_64 => Machine::X86_64,
    };
    let object = image.objects.iter().find(|object| object.machine == machine);
    let (Format::Elf, Os::Linux, Some(object)) = (image.format, policy.system.os, object) else {
        return Vec::new();
    };
    let variant = variant.parse::<Variant>().ok();
    let strings = variant.as_ref().and_then(Variant::arch).and_then(|arch| match arch.framework {
        FrameworkAbi::Torch { cxx_abi, .. } => cxx_abi,
        FrameworkAbi::TorchStableAbi(_) | FrameworkAbi::TvmFfi(_) => None,
    });
    let arch = variant.as_ref().and_then(Variant::arch);
    let runtimes = arch.map(Runtime::of);
    let version = match arch.map(|arch| &arch.framework) {
        Some(FrameworkAbi::Torch { version, .. } | FrameworkAbi::TorchStableAbi(version)) => {
            Some(version.version())
        }
        Some(FrameworkAbi::TvmFfi(_)) | None => None,
    };
    let torch = Torch {
        version: version.as_ref(),
        cpu,
        backend: arch.map(|arch| arch.compute.backend()),
        stable: policy.torch_stable_abi.is_some(),
    };
    // What its library for Python exports is embedded with the rest.
    let known: &[&str] =
        if torch.is_known() { &["libtorch_python.so", "libtorch_global_deps.so"] } else { &[] };
    let definitions = Definitions {
        code: &abi::UNDEFINED,
        manylinux: policy.manylinux,
        cpu,
        runtimes: &runtimes.unwrap_or_else(|| Runtime::ALL.iter().collect()),
        needed: &object.needed,
        strings,
        torch: TorchNames::Released(torch),
        others: undefined::needs_others(object, cpu, known),
        static_libstdcxx: true,
    };
    let mut findings = undefined::check(&undefined::names(object), &definitions);
    findings.extend(undefined::misversioned(object, cpu, &abi::UNDEFINED));
    findings.extend(undefined::wished(object, &definitions));
    for finding in &mut findings {
        finding.subject.file = Some(file.to_owned());
    }
    findings
}

/// Every regular file of a variant, also those that links inside of it lead to.
fn files(directory: &Utf8Path) -> Result<Vec<String>> {
    let entries = tree::walk(directory, &|name| name != "__pycache__")?;
    let files = entries.into_iter().filter(|entry| match entry.kind {
        tree::Kind::File => true,
        tree::Kind::LinkToFile => tree::stays_in(directory, &directory.join(&entry.path)),
        _ => false,
    });
    Ok(files.map(|entry| entry.path).collect())
}

/// The policy of a variant's name; where the name is none, the one that fits what the library itself shows.
pub fn policy(name: &str, image: &Image, overrides: &Overrides) -> Policy {
    let variant = name.parse::<Variant>().ok();
    let mut policy = match variant.as_ref().and_then(Variant::arch) {
        Some(arch) => Policy::for_variant(arch),
        None => guess(image),
    };
    if let Some(manylinux) = overrides.manylinux {
        policy.manylinux = Some(manylinux);
    }
    if overrides.this_system {
        policy.manylinux = None;
    }
    if let Some(python) = &overrides.python {
        policy.python = python.clone();
    }
    if let Some(macos) = &overrides.macos {
        policy.minimum_macos = macos.clone();
    }
    if let Some(torch) = &overrides.torch_stable_abi {
        policy.torch_stable_abi = Some(torch.clone());
    }
    policy
}

fn guess(image: &Image) -> Policy {
    let object = image.objects.first();
    let machine = object.map_or(Machine::X86_64, |object| object.machine);
    let needs =
        |part: &str| object.is_some_and(|object| object.needed.iter().any(|name| name.contains(part)));
    let has = |kinds: &[GpuKind]| {
        object.is_some_and(|object| object.gpu.iter().any(|code| kinds.contains(&code.kind)))
    };
    let backend = if has(&[GpuKind::Cubin, GpuKind::Ptx]) || needs("cudart") {
        Backend::Cuda
    } else if has(&[GpuKind::Hip]) || needs("amdhip64") {
        Backend::Rocm
    } else if has(&[GpuKind::Sycl]) || needs("libsycl") {
        Backend::Xpu
    } else {
        Backend::Cpu
    };
    let os = match image.format {
        Format::Elf => Os::Linux,
        Format::MachO => Os::Darwin,
        Format::Pe => Os::Windows,
    };
    let cpu = if machine == Machine::Aarch64 { Cpu::Aarch64 } else { Cpu::X86_64 };
    let tvm_ffi = needs("libtvm_ffi")
        || object.is_some_and(|object| {
            object.symbols().any(|symbol| symbol.is_exported() && symbol.name.starts_with("__tvm_ffi_"))
        });
    let framework = if tvm_ffi { Framework::TvmFfi } else { Framework::Torch };
    Policy::new(System { cpu, os }, framework, backend)
}
