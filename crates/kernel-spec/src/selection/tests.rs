//! Single rules of the choice; the whole of it is compared with the real loader in the program's own tests.

use super::*;

fn machine(torch: &str) -> MachineDescription {
    let description = format!("cpu = \"x86_64\"\nos = \"linux\"\npython = \"3.11.7\"\n{torch}");
    toml::from_str(&description).expect("a description")
}

fn trace(names: &[&str], machine: &MachineDescription, requested: Option<Backend>) -> Vec<String> {
    let names = names.iter().map(|name| name.parse().expect("a name"));
    let decisions = decide(names, machine, requested).expect("an allowed backend");
    decisions
        .trace
        .iter()
        .map(|decision| match &decision.rejection {
            None => format!("{} accepted", decision.name),
            Some(reason) => format!("{}: {reason}", decision.name),
        })
        .collect()
}

#[test]
fn torch_compiled_for_cuda_refuses_cpu_variants_unless_asked() {
    let machine = machine("[torch]\nversion = \"2.15.0+cu132\"\ncuda = \"13.2\"");
    let names = ["torch215-cxx11-cpu-x86_64-linux"];
    assert_eq!(
        trace(&names, &machine, None),
        ["torch215-cxx11-cpu-x86_64-linux: backend (cpu) does not match selected backend (cu132)"]
    );
    assert_eq!(trace(&names, &machine, Some(Backend::Cpu)), ["torch215-cxx11-cpu-x86_64-linux accepted"]);
    let error = machine.select_backend(Some(Backend::Xpu)).expect_err("not allowed").to_string();
    assert_eq!(error, "backend `xpu` cannot be chosen on this machine, only `cpu` and `cuda`");
}

#[test]
fn the_order_of_preference_is_the_loaders() {
    let machine = machine("tvm-ffi = \"0.1.15.post2\"\n[torch]\nversion = \"2.15.0\"\ncuda = \"13.2\"");
    assert_eq!(
        trace(
            &[
                "torch-universal",
                "torch-cuda",
                "tvm-ffi01-cu132-x86_64-linux",
                "torch215-cxx11-cu132-x86_64-linux",
                "torch215-cu130-x86_64-linux",
                "torch-stable-abi29-cu132-x86_64-linux",
                "torch-stable-abi211-cu130-x86_64-linux",
                "torch-stable-abi216-cu130-x86_64-linux",
            ],
            &machine,
            None
        ),
        [
            "torch-stable-abi211-cu130-x86_64-linux accepted",
            "torch-stable-abi29-cu132-x86_64-linux accepted",
            "torch215-cu130-x86_64-linux accepted",
            "torch215-cxx11-cu132-x86_64-linux accepted",
            "tvm-ffi01-cu132-x86_64-linux accepted",
            "torch-cuda accepted",
            "torch-universal accepted",
            "torch-stable-abi216-cu130-x86_64-linux: Torch stable ABI version (2.16) is too new for environment Torch version (2.15)",
        ]
    );
}

#[test]
fn free_threaded_python_before_3_15_sees_no_compiled_variant() {
    let mut machine = machine("free-threaded = true\n[torch]\nversion = \"2.15.0\"");
    let names = || ["torch215-cpu-x86_64-linux", "torch-cpu"].map(|name| name.parse().expect("a name"));
    let decisions = decide(names(), &machine, None).expect("allowed");
    assert_eq!(decisions.passed_over.len(), 1);
    assert_eq!(decisions.chosen(), Some(&LoaderName::Noarch("cpu".to_owned())));
    machine.python = "3.15".parse().ok();
    assert!(decide(names(), &machine, None).expect("allowed").passed_over.is_empty());
}

#[test]
fn backends_are_detected_in_the_loaders_order() {
    let mut facts =
        vec!["tpu = true", "neuron = true", "cuda = \"13.0\"", "rocm = \"7.1.5-x\"", "metal = true"];
    facts.extend(["xpu = \"2025.3\"", "cann = \"8.2\""]);
    let expected = ["tpu", "neuron", "cu130", "rocm71", "metal", "xpu20253", "cann82", "cpu"];
    for (skipped, expected) in expected.into_iter().enumerate() {
        let torch = format!("[torch]\nversion = \"2.15\"\n{}", facts[skipped..].join("\n"));
        assert_eq!(machine(&torch).detected_backend().name_in_variants(), expected);
    }
    assert_eq!(machine("cuda-runtime = \"12.6\"").detected_backend().name_in_variants(), "cu126");
    assert_eq!(machine("").detected_backend().name_in_variants(), "cpu");
}

#[test]
fn a_description_is_the_same_in_toml_and_json_and_refuses_unknown_facts() {
    let machine = machine("macos = \"26.1\"\n[torch]\nversion = \"2.15.0+cu132\"\nrocm = \"7.1\"");
    let json = serde_json::to_string(&machine).expect("serializes");
    assert_eq!(serde_json::from_str::<MachineDescription>(&json).expect("reads"), machine);
    let error = toml::from_str::<MachineDescription>("cpu = \"arm64\"\nos = \"darwin\"\ngpu = 1")
        .expect_err("unknown");
    assert!(error.to_string().contains("gpu"), "{error}");
    assert_eq!(MachineDescription::bare("arm64", "darwin").cpu, "aarch64");
}
