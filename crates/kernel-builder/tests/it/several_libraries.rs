//! What a variant's metadata promise, where the variant has several libraries, and where nobody can read what they promise.

use crate::scene::Scene;

const VARIANT: &str = "build/torch213-cxx11-cu130-x86_64-linux";

/// A library with machine code for one CUDA architecture, as `nvcc` lays it out.
fn source(architecture: u32) -> String {
    format!(
        r#"__asm__(".section .nv_fatbin,\"a\",@progbits\n.p2align 4\n.hidden code\n.globl code\ncode:\n"
            ".long 0xba55ed50\n.short 1, 16\n.quad 128\n"
            ".short 2, 0x101\n.long 64\n.quad 64\n.long 0, 0, 0, {architecture}, 0, 0, 0, 0, 0, 0, 0, 0\n.zero 64\n.previous\n");
        extern const char code[] __attribute__((visibility("hidden")));
        static struct {{ unsigned magic, version; const void *code; void *unused; }} record
            __attribute__((used, section(".nvFatBinSegment"))) = {{ 0x466243b1, 1, code, 0 }};
        void *PyInit__demo_cuda_abcdefghijklm(void) {{ return 0; }}
        "#
    )
}

fn metadata(architectures: &str) -> String {
    format!(
        r#"{{"name": "demo", "id": "_demo_cuda_abcdefghijklm", "version": 1, "license": "Apache-2.0", "python-depends": [],
            "backend": {{"type": "cuda", "archs": {architectures}}}}}"#
    )
}

/// A variant with one library for 8.0 and one for 9.0.
fn scene() -> Scene {
    let scene = Scene::new().file(&format!("{VARIANT}/__init__.py"), "__all__ = []\n");
    for (file, architecture) in [("_demo_cuda_abcdefghijklm.abi3.so", 80), ("beside.so", 90)] {
        let scene = &scene;
        fs_err::write(scene.path("library.c"), source(architecture)).expect("writes");
        let output = format!("{VARIANT}/{file}");
        scene.tool("gcc", &["-shared", "-fPIC", "-O1", "library.c", "-o", &output]);
    }
    scene
}

#[test]
fn the_libraries_of_a_variant_hold_together_what_it_promises() {
    let scene = scene();
    for (promised, told) in [
        (r#"["8.0", "9.0"]"#, None),
        (r#"["8.0", "9.0", "12.0"]"#, Some(("error", "none of the libraries has GPU code for `12.0`"))),
        (
            r#"["8.0"]"#,
            Some(("warning", "the libraries have GPU code that the metadata does not name: `9.0`")),
        ),
    ] {
        fs_err::write(scene.path(&format!("{VARIANT}/metadata.json")), metadata(promised)).expect("writes");
        let answer = scene.run(&["check-abi", "--json"]).json().pop().expect("an answer");
        let findings = answer["findings"].as_array().expect("findings");
        let about = findings.iter().filter(|finding| finding["code"] == "abi/gpu-architecture");
        let about: Vec<(&str, &str)> = about
            .map(|finding| {
                let text = |key: &str| finding[key].as_str().unwrap_or_default();
                (text("severity"), text("message"))
            })
            .collect();
        assert_eq!(about, told.into_iter().collect::<Vec<_>>(), "{promised} {answer:#}");
    }
}

#[test]
fn metadata_that_cannot_be_read_are_told() {
    let scene = scene();
    for (text, told) in [("{", "metadata.json"), ("{}", "name"), ("[1]", "metadata.json")] {
        fs_err::write(scene.path(&format!("{VARIANT}/metadata.json")), text).expect("writes");
        let ran = scene.run(&["check-abi"]);
        assert_eq!(ran.status, 6, "{ran}");
        assert!(ran.stdout.contains("error[artifact/metadata]") && ran.stdout.contains(told), "{ran}");
    }
    // Kernels of older tools have none.
    fs_err::remove_file(scene.path(&format!("{VARIANT}/metadata.json"))).expect("removed");
    let ran = scene.run(&["check-abi"]);
    assert!(!ran.stdout.contains("artifact/metadata"), "{ran}");
}

/// Python takes the package, and never comes to the library.
#[test]
fn a_package_with_the_librarys_name_is_told_and_texts_about_libraries_are_none() {
    let scene = scene();
    fs_err::write(scene.path(&format!("{VARIANT}/metadata.json")), metadata(r#"["8.0", "9.0"]"#))
        .expect("writes");
    let scene = scene.file(&format!("{VARIANT}/usage.so.txt"), "How to use it.\n");
    let hidden = "`_demo_cuda_abcdefghijklm/__init__.py` hides `_demo_cuda_abcdefghijklm.abi3.so`";
    let before = scene.run(&["check-abi"]);
    assert!(!before.stdout.contains(hidden) && !before.stdout.contains("usage"), "{before}");
    let scene = scene.file(&format!("{VARIANT}/_demo_cuda_abcdefghijklm/__init__.py"), "");
    let ran = scene.run(&["check-abi"]);
    assert!(ran.status == 6 && ran.stdout.contains(hidden), "{ran}");
}

/// Six gibibytes of which the disk holds none.
#[test]
fn a_segment_that_is_a_hole_is_answered_at_once() {
    let scene = scene();
    let path = scene.path(&format!("{VARIANT}/beside.so"));
    let mut bytes = fs_err::read(&path).expect("reads");
    let number = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    let headers = usize::try_from(number(&bytes, 0x20)).expect("a place");
    let note = (0..64).map(|at| headers + 56 * at).find(|at| bytes[*at] == 4).expect("a note segment");
    let (start, size) = (1_u64 << 20, 6_u64 << 30);
    let fields = [1 | 4 << 32, start, 1 << 30, 1 << 30, size - start, size - start, 0x1000];
    for (at, field) in fields.into_iter().enumerate() {
        bytes[note + 8 * at..note + 8 * at + 8].copy_from_slice(&u64::to_le_bytes(field));
    }
    fs_err::write(&path, &bytes).expect("writes");
    fs_err::OpenOptions::new().write(true).open(&path).expect("opens").set_len(size).expect("grows");
    let begun = std::time::Instant::now();
    let ran = scene.run(&["check-abi", &format!("{VARIANT}/beside.so")]);
    assert!(begun.elapsed().as_secs() < 10, "{:?} {ran}", begun.elapsed());
    assert!(!ran.stdout.contains("abi/damaged"), "{ran}");
}
