//! The embedded matrix gives the published variants, overrides do what they say, and a host is not bound to it.

use super::*;
use crate::manifest::{
    Binding, CompiledBinding, Component, Edition, General, Hub, Manifest, NoarchBinding, StableAbi, Target,
    TorchBinding, TvmFfiBinding,
};
use crate::selection::MachineDescription;
use crate::{Located, Variant};

fn located<T>(value: T) -> Located<T> {
    Located::new(value, 0..0)
}

fn version(text: &str) -> Version {
    text.parse().expect("a version")
}

fn component(backend: Backend) -> Component {
    let target = match backend {
        Backend::Cuda => Target::Cuda { capabilities: None, flags: Vec::new(), minimum: None },
        Backend::Rocm => Target::Rocm { architectures: None, flags: Vec::new() },
        Backend::Xpu => Target::Xpu { flags: Vec::new() },
        Backend::Metal => Target::Metal,
        _ => Target::Cpu,
    };
    Component {
        name: located(backend.to_string()),
        backend: located(backend),
        depends: Vec::new(),
        sources: Vec::new(),
        include: Vec::new(),
        cxx_flags: Vec::new(),
        target,
    }
}

/// A project with a component for each listed backend that can have one.
fn manifest(backends: &[Backend], binding: Binding) -> Manifest {
    Manifest {
        edition: Edition::Five,
        general: General {
            name: located("relu".parse().expect("a name")),
            version: located(1),
            license: located("Apache-2.0".to_owned()),
            backends: backends.iter().map(|backend| located(*backend)).collect(),
            upstream: None,
            source: None,
            python_depends: Vec::new(),
            kernel_depends: Vec::new(),
            hub: Hub::default(),
            cuda_minimum: None,
            cuda_maximum: None,
            by_backend: BTreeMap::new(),
        },
        binding,
        components: backends.iter().filter(|b| b.row().compiles).map(|b| component(*b)).collect(),
    }
}

fn torch() -> Binding {
    Binding::Torch(TorchBinding::default())
}

fn stable(abi: &str) -> Binding {
    Binding::Torch(TorchBinding {
        stable_abi: StableAbi::All(located(version(abi))),
        ..TorchBinding::default()
    })
}

fn names(offers: &[Offer]) -> Vec<String> {
    offers.iter().map(|offer| offer.variant.to_string()).collect()
}

fn bundled(manifest: &Manifest) -> Vec<String> {
    let mut offers = variants_of(manifest, Matrix::embedded());
    offers.retain(|offer| offer.bundled);
    names(&offers)
}

/// The published list of bundled variants, from the format's description.
fn published() -> Vec<String> {
    let mut names = Vec::new();
    for torch in ["torch212", "torch213"] {
        names.push(format!("{torch}-cpu-aarch64-darwin"));
        names.push(format!("{torch}-metal-aarch64-darwin"));
        for system in ["aarch64-linux", "x86_64-linux"] {
            names.extend(
                ["cpu", "cu126", "cu130", "cu132"].map(|compute| format!("{torch}-cxx11-{compute}-{system}")),
            );
        }
        names.extend(["rocm71", "rocm72"].map(|compute| format!("{torch}-cxx11-{compute}-x86_64-linux")));
    }
    names.push("torch212-cxx11-xpu20253-x86_64-linux".to_owned());
    names.push("torch213-cxx11-xpu20260-x86_64-linux".to_owned());
    names.sort();
    names
}

#[test]
fn the_bundled_variants_are_the_published_ones() {
    let all = [Backend::Cpu, Backend::Cuda, Backend::Metal, Backend::Rocm, Backend::Xpu];
    let mut names = bundled(&manifest(&all, torch()));
    names.sort();
    assert_eq!(names, published());
}

#[test]
fn tvm_ffi_and_stable_abi_have_one_variant_for_each_toolkit_and_system() {
    let three = [Backend::Cpu, Backend::Cuda, Backend::Xpu];
    assert_eq!(
        bundled(&manifest(&three, Binding::TvmFfi(TvmFfiBinding { common: CompiledBinding::default() }))),
        [
            "tvm-ffi01-cpu-aarch64-darwin",
            "tvm-ffi01-cpu-aarch64-linux",
            "tvm-ffi01-cpu-x86_64-linux",
            "tvm-ffi01-cu126-aarch64-linux",
            "tvm-ffi01-cu126-x86_64-linux",
            "tvm-ffi01-cu130-aarch64-linux",
            "tvm-ffi01-cu130-x86_64-linux",
            "tvm-ffi01-cu132-aarch64-linux",
            "tvm-ffi01-cu132-x86_64-linux",
            "tvm-ffi01-xpu20253-x86_64-linux",
        ]
    );
    let offers = variants_of(&manifest(&[Backend::Xpu, Backend::Cuda], stable("2.11")), Matrix::embedded());
    let built: Vec<String> = offers
        .iter()
        .map(|offer| format!("{} {}", offer.variant, offer.built_with.as_ref().expect("a version")))
        .collect();
    assert_eq!(
        built,
        [
            "torch-stable-abi211-cu126-aarch64-linux 2.13",
            "torch-stable-abi211-cu126-x86_64-linux 2.13",
            "torch-stable-abi211-cu130-aarch64-linux 2.13",
            "torch-stable-abi211-cu130-x86_64-linux 2.13",
            "torch-stable-abi211-cu132-aarch64-linux 2.15",
            "torch-stable-abi211-cu132-x86_64-linux 2.15",
            "torch-stable-abi211-xpu20253-x86_64-linux 2.12",
            "torch-stable-abi211-xpu20260-x86_64-linux 2.13",
        ]
    );
}

#[test]
fn python_only_backends_have_one_variant_whatever_the_rest_is() {
    let mut mixed = manifest(&[Backend::Tpu, Backend::Cann, Backend::Rocm, Backend::Metal], torch());
    mixed.components.retain(|component| component.backend.value == Backend::Metal);
    assert_eq!(
        bundled(&mixed),
        [
            "torch212-metal-aarch64-darwin",
            "torch213-metal-aarch64-darwin",
            "torch-npu",
            "torch-rocm",
            "torch-tpu"
        ]
    );
    let noarch = manifest(&[Backend::Cuda, Backend::Cpu], Binding::TorchNoarch(NoarchBinding::default()));
    assert_eq!(bundled(&noarch), ["torch-cpu", "torch-cuda"]);
}

#[test]
fn bounds_leave_variants_out() {
    let mut bounded = manifest(&[Backend::Cuda], torch());
    bounded.general.cuda_minimum = Some(located(version("13.0")));
    bounded.general.cuda_maximum = Some(located(version("13.1")));
    if let Binding::Torch(torch) = &mut bounded.binding {
        torch.maximum = Some(located(version("2.12")));
    }
    assert_eq!(
        names(&variants_of(&bounded, Matrix::embedded())),
        ["torch212-cxx11-cu130-aarch64-linux", "torch212-cxx11-cu130-x86_64-linux"]
    );
}

#[test]
fn a_torch_older_than_the_stable_abi_builds_nothing() {
    assert_eq!(
        names(&variants_of(&manifest(&[Backend::Xpu], stable("2.13")), Matrix::embedded())),
        ["torch-stable-abi213-xpu20260-x86_64-linux"]
    );
}

#[test]
fn facts_are_looked_up_by_lowest_version() {
    let matrix = Matrix::embedded();
    assert_eq!(["2.11", "2.12", "2.15.0"].map(|torch| matrix.cxx_standard(&version(torch))), [17, 20, 20]);
    let last = |toolkit| matrix.cuda_capabilities(&version(toolkit)).last().expect("some").to_string();
    assert_eq!(["12.6", "12.8.1", "13", "14.0"].map(last), ["9.0+PTX", "12.0+PTX", "12.1+PTX", "12.1+PTX"]);
    assert_eq!(matrix.rocm_targets(&version("7.2")).len(), 10);
    assert_eq!(matrix.cuda_host_compilers(&version("12.6")), Some(HostCompilers { gcc: 13, clang: 18 }));
    assert_eq!(matrix.cuda_host_compilers(&version("11.0")), None);
}

#[test]
fn an_override_replaces_rows_and_adds_others() {
    let mut matrix = Matrix::embedded().clone();
    matrix
        .merge(
            "schema = 1\n[cxx-standard]\n\"2.16\" = 23\n[[torch]]\nversion = \"2.12\"\nbackend = \"rocm\"\n\
             toolkits = [\"7.2\"]\nsystems = []\n[[torch]]\nversion = \"2.16\"\nbackend = \"rocm\"\n\
             toolkits = [\"8.0\"]\nsystems = [\"x86_64-linux\"]\nbundled = true\n",
        )
        .expect("a matrix");
    assert_eq!(
        names(&variants_of(&manifest(&[Backend::Rocm], torch()), &matrix)),
        [
            "torch213-cxx11-rocm71-x86_64-linux",
            "torch213-cxx11-rocm72-x86_64-linux",
            "torch216-cxx11-rocm80-x86_64-linux"
        ]
    );
    assert_eq!((matrix.cxx_standard(&version("2.15")), matrix.cxx_standard(&version("2.16"))), (20, 23));
}

#[test]
fn a_faulty_override_says_why_and_changes_nothing() {
    let row = |rest: &str| format!("schema = 1\n[[torch]]\nversion = \"2.16\"\nsystems = []\n{rest}");
    for (text, why) in [
        ("schema = 2".to_owned(), "`schema = 2` is not the form"),
        ("schema = 1\nfoo = 1".to_owned(), "foo"),
        (row("backend = \"cuda\""), "needs `toolkits`"),
        (row("backend = \"cpu\"\ntoolkits = [\"1.0\"]"), "cannot have `toolkits`"),
        (row("backend = \"tpu\""), "nothing is compiled"),
        (row("backend = \"cuda\"\ntoolkits = [\"12.10\"]"), "12.10 has no variant name"),
        (format!("{}\n{}", row("backend = \"cpu\""), &row("backend = \"cpu\"")[11..]), "stands twice"),
    ] {
        let mut matrix = Matrix::embedded().clone();
        let error = matrix.merge(&text).expect_err(why).to_string();
        assert!(error.contains(why), "{error}");
        assert_eq!(&matrix, Matrix::embedded());
    }
}

#[test]
fn a_host_builds_for_the_torch_it_has() {
    let machine = |torch: &str| -> MachineDescription {
        toml::from_str(&format!("cpu = \"x86_64\"\nos = \"linux\"\npython = \"3.12\"\n{torch}"))
            .expect("a machine")
    };
    let host = |manifest: &Manifest, torch: &str| {
        let host = host_variants_of(manifest, Matrix::embedded(), &machine(torch));
        let refused: Vec<String> =
            host.refusals.iter().map(|r| format!("{}: {}", r.backend, r.reason)).collect();
        (names(&host.offers), refused)
    };
    let three = manifest(&[Backend::Cpu, Backend::Cuda, Backend::Xpu], torch());
    let newer = "[torch]\nversion = \"2.16.0\"\ncuda = \"13.4\"";
    assert_eq!(
        host(&three, newer),
        (
            vec![
                "torch216-cxx11-cu134-x86_64-linux".to_owned(),
                "torch216-cxx11-cpu-x86_64-linux".to_owned()
            ],
            vec!["xpu: the loader here chooses `cuda` or `cpu` variants".to_owned()]
        )
    );
    let stable = manifest(&[Backend::Cpu], stable("2.11"));
    assert_eq!(host(&stable, newer).0, ["torch-stable-abi211-cpu-x86_64-linux"]);
    assert_eq!(
        host(&stable, "[torch]\nversion = \"2.10\"").1,
        ["cpu: torch 2.10 is older than its stable ABI 2.11"]
    );
    let mut bounded = manifest(&[Backend::Cpu], torch());
    if let Binding::Torch(torch) = &mut bounded.binding {
        torch.maximum = Some(located(version("2.15")));
    }
    assert_eq!(host(&bounded, newer).1, ["cpu: torch 2.16.0 is newer than `torch.maxver = \"2.15\"`"]);
    assert_eq!(host(&bounded, "").1, ["cpu: torch is not installed"]);
    let old = "[torch]\nversion = \"2.4\"\ncxx11-abi = false";
    assert_eq!(host(&bounded, old).1, ["cpu: torch 2.4 was compiled with the C++ ABI from before C++11"]);
    let two_digits = "[torch]\nversion = \"2.15\"\ncuda = \"12.10\"";
    assert!(host(&three, two_digits).1[0].contains("`1210` would be read as another version"));
}

#[test]
fn a_wrong_name_has_near_ones() {
    let offers = variants_of(&manifest(&[Backend::Cuda, Backend::Cpu], torch()), Matrix::embedded());
    let variants: Vec<Variant> = offers.iter().map(|offer| offer.variant).collect();
    for (wrong, meant) in [
        ("torch213-cxx11-cu999-x86_64-linux", "torch213-cxx11-cu126-x86_64-linux"),
        ("torch213-cxx11-cpu-x86-64-linux", "torch213-cxx11-cpu-x86_64-linux"),
        ("torch213-cpu-aarch64-linux", "torch213-cxx11-cpu-aarch64-linux"),
        ("torch213-cu130-x86_64-linux", "torch213-cxx11-cu130-x86_64-linux"),
        ("torch-2.13-cpu", "torch213-cpu-aarch64-darwin"),
    ] {
        let near: Vec<String> =
            closest(wrong, variants.iter().copied()).iter().map(Variant::to_string).collect();
        assert!(near.contains(&meant.to_owned()), "{wrong}: {near:?}");
    }
    assert!(closest("ж", variants.iter().copied()).is_empty());
}
