//! The bijection between variants and names, in both directions.

use proptest::prelude::*;

use super::*;

fn system() -> impl Strategy<Value = System> {
    (prop::sample::select(Cpu::ALL), prop::sample::select(Os::ALL)).prop_map(|(cpu, os)| System { cpu, os })
}

fn framework() -> impl Strategy<Value = FrameworkAbi> {
    let version =
        || (0u64..10, 0u64..200).prop_map(|(a, b)| FrameworkVersion::new(a, b).expect("one digit before"));
    let abi = prop::sample::select(vec![None, Some(CxxAbi::Cxx98), Some(CxxAbi::Cxx11)]);
    prop_oneof![
        (version(), abi).prop_map(|(version, cxx_abi)| FrameworkAbi::Torch { version, cxx_abi }),
        version().prop_map(FrameworkAbi::TorchStableAbi),
        version().prop_map(FrameworkAbi::TvmFfi),
    ]
}

fn compute() -> impl Strategy<Value = Compute> {
    let plain = [Compute::Cpu, Compute::Metal, Compute::Neuron, Compute::Tpu];
    let toolkit =
        (0u64..3000, 0u64..10).prop_map(|(a, b)| ToolkitVersion::new(a, b).expect("one digit after"));
    prop_oneof![
        prop::sample::select(plain.to_vec()),
        (prop::sample::select(Compute::WITH_TOOLKIT), toolkit).prop_map(|((_, make), version)| make(version)),
    ]
}

fn variant() -> impl Strategy<Value = Variant> {
    let noarch = Backend::all().map(NoarchTarget::Backend).chain([NoarchTarget::Universal]);
    prop_oneof![
        4 => (framework(), compute(), system())
            .prop_map(|(framework, compute, system)| Variant::Arch(ArchVariant { framework, compute, system })),
        1 => prop::sample::select(noarch.collect::<Vec<_>>()).prop_map(Variant::Noarch),
    ]
}

proptest! {
    #[test]
    fn a_variant_is_read_back_from_its_name(variant in variant()) {
        prop_assert_eq!(variant.to_string().parse::<Variant>(), Ok(variant));
    }

    #[test]
    fn a_name_is_written_back_by_its_variant(
        name in "(torch|torch-stable-abi|tvm-ffi)[0-9]{0,4}(-cxx11|-cxx98|-)?(-(cpu|metal|tpu|neuron|npu|universal|cu|rocm|xpu|cann))?[0-9]{0,5}(-(x86_64|aarch64|riscv64)?)?(-(linux|darwin|windows|bsd)?)?"
    ) {
        if let Ok(variant) = name.parse::<Variant>() {
            prop_assert_eq!(variant.to_string(), name);
        }
    }

    #[test]
    fn no_text_makes_the_readers_fail(name in ".*") {
        if let Ok(read) = name.parse::<LoaderName>() {
            prop_assert_eq!(read.to_string().parse::<LoaderName>(), Ok(read));
        }
    }
}

#[test]
fn the_published_forms_are_read() {
    let version = |major, minor| FrameworkVersion::new(major, minor).expect("a version");
    for (name, framework) in [
        ("torch29-cu128-x86_64-windows", FrameworkAbi::Torch { version: version(2, 9), cxx_abi: None }),
        (
            "torch212-cxx11-cpu-x86_64-linux",
            FrameworkAbi::Torch { version: version(2, 12), cxx_abi: Some(CxxAbi::Cxx11) },
        ),
        ("torch-stable-abi211-xpu20253-x86_64-linux", FrameworkAbi::TorchStableAbi(version(2, 11))),
        ("tvm-ffi01-metal-aarch64-darwin", FrameworkAbi::TvmFfi(version(0, 1))),
    ] {
        let read: Variant = name.parse().expect(name);
        assert_eq!(read.arch().expect("compiled").framework, framework, "{name}");
    }
    assert_eq!("torch-npu".parse(), Ok(Variant::Noarch(NoarchTarget::Backend(Backend::Cann))));
}

#[test]
fn a_refused_name_says_why() {
    for (name, why) in [
        ("torch2012-cpu-x86_64-linux", "the loader reads it as `torch212-cpu-x86_64-linux`"),
        ("torch", "the loader reads it as `torch-`"),
        ("torch-cann", "for the backend `cann`"),
        ("torch212-cpu-riscv64-linux", "for the system `riscv64-linux`"),
        ("torch212-cuda-x86_64-linux", "`cuda` in"),
        ("torch212-x86_64-linux", "does not end with a backend"),
        ("libtorch212-cpu-x86_64-linux", "does not begin with"),
    ] {
        let error = name.parse::<Variant>().expect_err(name).to_string();
        assert!(error.contains(why), "{name}: {error}");
    }
}

#[test]
fn a_version_that_no_name_can_tell_is_refused() {
    let error = ToolkitVersion::new(12, 10).expect_err("two digits").to_string();
    assert!(error.contains("12.10") && error.contains("`1210`"), "{error}");
    assert!(FrameworkVersion::new(10, 1).is_err());
    let read: Variant = "torch213-cu1210-x86_64-linux".parse().expect("a name");
    assert_eq!(read.arch().and_then(|arch| arch.compute.toolkit()).map(ToolkitVersion::major), Some(121));
}

#[test]
fn linux_alone_carries_the_abi_tag() {
    let version = FrameworkVersion::new(2, 13).expect("a version");
    let names: Vec<String> = Os::ALL
        .iter()
        .map(|&os| Variant::torch(version, Compute::Cpu, System { cpu: Cpu::X86_64, os }).to_string())
        .collect();
    assert_eq!(
        names,
        ["torch213-cpu-x86_64-darwin", "torch213-cxx11-cpu-x86_64-linux", "torch213-cpu-x86_64-windows"]
    );
}
