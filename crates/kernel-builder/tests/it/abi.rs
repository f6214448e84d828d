//! `check-abi`, `inspect`, and `check` of built variants: real libraries, made here by the machine's compiler.

use crate::scene::Scene;

const VARIANT: &str = "build/torch213-cxx11-cpu-x86_64-linux";
const ENTRY: &str = "void *PyInit__demo_op_cpu_x(void) { return (void *)0; }\n";

/// A built variant whose library comes from C source.
fn built(source: &str, flags: &[&str]) -> Scene {
    let scene =
        Scene::new().file("library.c", source).file(&format!("{VARIANT}/__init__.py"), "__all__ = []\n");
    let library = format!("{VARIANT}/_demo_op_cpu_x.abi3.so");
    let mut arguments = vec!["-shared", "-fPIC", "-O1", "library.c", "-Wl,--build-id=0x01", "-o", &library];
    arguments.extend(flags);
    scene.tool("gcc", &arguments);
    scene
}

#[test]
fn a_portable_library_passes() {
    let scene = built(ENTRY, &[]);
    insta::assert_snapshot!(scene.run(&["check-abi"]));
    let answer = scene.run(&["check-abi", "--json"]).json().pop().expect("an answer");
    assert_eq!((&answer["command"], &answer["findings"]), (&"check-abi".into(), &serde_json::json!([])));
}

#[test]
fn a_new_symbol_is_named_with_its_limit_also_when_stripped() {
    let source = format!(
        "{ENTRY}extern unsigned arc4random(void);\n\
         __attribute__((used)) static unsigned f(void) {{ return arc4random(); }}\n"
    );
    let scene = built(&source, &[]);
    let ran = scene.run(&["check-abi"]);
    insta::assert_snapshot!(ran);
    scene.tool("strip", &["-s", &format!("{VARIANT}/_demo_op_cpu_x.abi3.so")]);
    assert_eq!(scene.run(&["check-abi"]).to_string(), ran.to_string());
}

#[test]
fn four_bad_files_are_four_answers() {
    let scene = built(ENTRY, &["-Wl,-z,execstack"])
        .file(&format!("{VARIANT}/script.so"), "GROUP ( libc.so.6 )\n")
        .file("build/torch213-cxx11-cpu-aarch64-linux/metadata.json", "{}");
    let own = format!("{VARIANT}/_demo_op_cpu_x.abi3.so");
    scene.tool("cp", &[&own, "build/torch213-cxx11-cpu-aarch64-linux/_demo_op_cpu_x.abi3.so"]);
    insta::assert_snapshot!(scene.run(&["check-abi"]));
    insta::assert_snapshot!(scene.run(&["check-abi", "missing.so"]));
    insta::assert_snapshot!(scene.run(&["check-abi", "nowhere"]));
}

#[test]
fn nothing_to_check_is_no_success() {
    insta::assert_snapshot!(Scene::new().run(&["check-abi"]));
}

#[test]
fn inspect_shows_the_facts() {
    let source = "extern int aoti_torch_cpu__grouped_mm(void); void *PyModule_Create2(void *, int);\n\
                  void *PyInit__demo_op_cpu_x(void) { aoti_torch_cpu__grouped_mm(); return PyModule_Create2(0, 3); }\n";
    let scene = built(source, &["-s", "-Wl,-soname,_demo_op.so"]);
    let ran = scene.run(&["inspect", "build"]);
    let lines: Vec<&str> =
        ran.stdout.lines().filter(|line| !line.contains(" section ") && !line.contains(" format ")).collect();
    insta::assert_snapshot!(lines.join("\n"));
    let report = scene.run(&["inspect", "build", "--json"]).json();
    let library = &report.last().expect("a report")["libraries"][0];
    assert_eq!(library["torch_stable_abi"], "2.12");
    assert_eq!(library["python"]["minimum"], "3.2");
    assert!(library["sections"].as_array().is_some_and(|sections| !sections.is_empty()));
}

#[test]
fn a_directory_without_a_library_is_no_success_and_what_builds_keep_is_not_shown() {
    let scene = Scene::new().file("src/a.cpp", "").file(".kernel-builder/x/a.so", "\u{7f}ELF");
    for arguments in [&["inspect"][..], &["inspect", "src"]] {
        let ran = scene.run(arguments);
        assert_eq!(ran.status, 10, "{ran}");
        assert!(
            ran.stdout.contains("error[abi/nothing-to-check]") && ran.stdout.contains("holds no library"),
            "{ran}"
        );
    }
}

/// A library stripped and not, and what `check-abi` says of both.
fn verdicts(source: &str, flags: &[&str]) -> String {
    let scene = built(&format!("{ENTRY}{source}"), flags);
    let ran = scene.run(&["check-abi"]);
    scene.tool("strip", &["-s", &format!("{VARIANT}/_demo_op_cpu_x.abi3.so")]);
    assert_eq!(scene.run(&["check-abi"]).to_string(), ran.to_string());
    format!("{} {}", ran.status, ran.stdout)
}

#[test]
fn what_nothing_defines_is_found_without_the_review_of_a_link() {
    let hide = &["-nostdlib"][..];
    let undefined =
        verdicts("extern int no_such_symbol(void); int f(void) { return no_such_symbol(); }", hide);
    assert!(
        undefined.contains("error[abi/undefined-symbol]") && undefined.contains("`no_such_symbol`"),
        "{undefined}"
    );
    assert!(undefined.starts_with("6 "), "{undefined}");
    let newer = verdicts("extern unsigned arc4random(void); unsigned f(void) { return arc4random(); }", hide);
    assert!(newer.contains("error[abi/undefined-symbol]") && newer.contains("GLIBC_2.36"), "{newer}");
    let foreign = verdicts("extern int cudaFree(void *); int f(void) { return cudaFree(0); }", hide);
    assert!(foreign.contains("libcudart.so"), "{foreign}");
    for (name, owner) in [("__atomic_load_16", "libatomic.so.1"), ("_ZGVbN2v_sin", "libmvec.so.1")] {
        let source = format!("extern int {name}(void); int f(void) {{ return {name}(); }}");
        let verdict = verdicts(&source, hide);
        assert!(verdict.contains("error[abi/undefined-symbol]") && verdict.contains(owner), "{verdict}");
    }
    let strings = "extern int f1(void) __asm__(\"_ZN3c106detail14torchCheckFailEPKcS2_jRKSs\"); int f(void) { return f1(); }";
    let verdict = verdicts(strings, hide);
    assert!(verdict.contains("error[abi/undefined-symbol]") && verdict.contains("before C++11"), "{verdict}");
    for good in [
        "extern double pow(double, double); double f(double x) { return pow(x, x); }",
        "extern int puts(const char *); int f(void) { return puts(\"\"); }",
        "extern int aoti_torch_get_data_ptr(void *, void **); int f(void) { return aoti_torch_get_data_ptr(0, 0); }",
        "extern int f1(void) __asm__(\"_ZN3c1010TensorImplD1Ev\"); int f(void) { return f1(); }",
        "extern void *PyLong_FromLong(long); void *f(void) { return PyLong_FromLong(0); }",
    ] {
        let verdict = verdicts(good, hide);
        assert!(!verdict.contains("/undefined-symbol"), "{good}: {verdict}");
    }
    let wish = "extern int wished(void) __attribute__((weak)); int f(void) { return wished ? wished() : 0; }";
    let verdict = verdicts(wish, hide);
    assert!(verdict.starts_with("0 ") && verdict.contains("note[abi/undefined-symbol]"), "{verdict}");
}

/// Versions of libraries that have them, or do not, and names that are not in them: a link against the real libraries makes
/// none.
#[test]
fn names_and_versions_that_a_library_does_not_have_are_found() {
    for (library, version, name, message) in [
        ("libc.so.6", "GLIBC_2.2.5", "puts", None),
        ("libc.so.6", "GLIBC_2.2.5", "made_up", Some("nothing defines `made_up` of version `GLIBC_2.2.5`")),
        ("libc.so.6", "GLIBC_2.14", "memcpy", None),
        ("libm.so.6", "GLIBC_2.14", "memcpy", Some("`libm.so.6` has no version `GLIBC_2.14`")),
        ("libdl.so.2", "GLIBC_2.14", "memcpy", Some("`libdl.so.2` has no version `GLIBC_2.14`")),
        ("libm.so.6", "GLIBC_2.2.5", "cos", None),
        ("libgomp.so.1", "GOMP_1.0", "GOMP_barrier", None),
        (
            "libtorch_cpu.so",
            "TORCH_1",
            "aoti_torch_get_data_ptr",
            Some("`libtorch_cpu.so` has no version `TORCH_1`"),
        ),
        (
            "libgomp.so.1",
            "GOMP_1.0",
            "GOMP_made_up",
            Some("nothing defines `GOMP_made_up` of version `GOMP_1.0`"),
        ),
    ] {
        let scene = Scene::new()
            .file("stub.c", &format!("void {name}(void) {{}}\n"))
            .file("stub.map", &format!("{version} {{ {name}; }};\n"))
            .file("library.c", &format!("{ENTRY}extern void {name}(void); void f(void) {{ {name}(); }}\n"))
            .file(&format!("{VARIANT}/__init__.py"), "__all__ = []\n");
        let soname = format!("-Wl,-soname,{library}");
        let common = ["-shared", "-fPIC", "-O1", "-w", "-fno-builtin", "-nostdlib"];
        let stub = ["stub.c", &soname, "-Wl,--version-script,stub.map", "-o", library];
        scene.tool("gcc", &[&common[..], &stub].concat());
        let out = format!("{VARIANT}/_demo_op_cpu_x.abi3.so");
        scene.tool("gcc", &[&common[..], &["library.c", library, "-o", &out]].concat());
        let ran = scene.run(&["check-abi"]);
        assert_eq!(ran.status, if message.is_some() { 6 } else { 0 }, "{library} {name} {ran}");
        assert!(message.is_none_or(|message| ran.stdout.contains(message)), "{library} {name} {ran}");
    }
}

/// Torch itself is not at hand: the names that its releases export are embedded.
#[test]
fn names_that_no_torch_has_are_found() {
    let judged = |name: &str, variant: &str| {
        let source =
            format!("{ENTRY}extern int f1(void) __asm__(\"{name}\"); int f(void) {{ return f1(); }}\n");
        let scene = built(&source, &["-nostdlib"]);
        if variant != VARIANT {
            scene.tool("mv", &[VARIANT, variant]);
        }
        let ran = match variant {
            "lone" => scene.run(&["check-abi", "lone/_demo_op_cpu_x.abi3.so", "--json"]),
            _ => scene.run(&["check-abi", "--json"]),
        };
        let answer = ran.json().pop().expect("an answer");
        let about = |finding: &&serde_json::Value| {
            let code = finding["code"].as_str().unwrap_or_default();
            code == "abi/undefined-symbol" || code == "abi/torch-abi"
        };
        let findings = answer["findings"].as_array().cloned().unwrap_or_default();
        let found = findings.iter().filter(about);
        let text = |finding: &serde_json::Value| {
            format!(
                "{} {}",
                finding["severity"].as_str().unwrap_or_default(),
                finding["code"].as_str().unwrap_or_default()
            )
        };
        found.map(text).collect::<Vec<_>>().join(", ")
    };
    let undefined = "error abi/undefined-symbol";
    let made_up = "_ZN2at6native12never_existsERKNS_6TensorE";
    let thunk = "_ZThn16_N3c1010never_everD1Ev";
    let (old, stable) =
        ("build/torch27-cxx11-cpu-x86_64-linux", "build/torch-stable-abi211-cpu-x86_64-linux");
    let cuda = "build/torch213-cxx11-cu130-x86_64-linux";
    let device = "_ZN3c104cuda17getStreamFromPoolEba";
    for (name, variant, found) in [
        ("_ZN3c1010TensorImplD1Ev", VARIANT, ""),
        (made_up, VARIANT, undefined),
        (made_up, cuda, undefined),
        ("_ZN3c108made_upEv", VARIANT, undefined),
        (thunk, VARIANT, undefined),
        ("torch_made_up", VARIANT, undefined),
        ("aoti_torch_made_up", VARIANT, undefined),
        // Of a release that is not known here, nothing is said but that.
        (made_up, old, "note abi/undefined-symbol"),
        ("_ZN3c1010TensorImplD1Ev", old, "note abi/undefined-symbol"),
        (device, cuda, ""),
        (device, VARIANT, undefined),
        ("_ZN2at4cuda7made_upEv", cuda, "note abi/undefined-symbol"),
        // The stable ABI is C alone, of the table that is embedded.
        ("aoti_torch_get_data_ptr", stable, ""),
        ("aoti_torch_made_up", stable, "error abi/torch-abi"),
        ("torch_made_up", stable, "error abi/torch-abi"),
        (thunk, stable, "error abi/torch-abi"),
        ("_ZGVZN2at6globalEvE4once", stable, "error abi/torch-abi"),
        ("aoti_torch_create_cuda_guard", stable, undefined),
    ] {
        assert_eq!(judged(name, variant), found, "{name} in {variant}");
    }
    // Outside of any variant it may be of another release.
    for (name, found) in [(made_up, "warning abi/undefined-symbol"), ("_ZN3c1010TensorImplD1Ev", "")] {
        assert_eq!(judged(name, "lone"), found, "{name}");
    }
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let scene = Scene::new();
    scene.tool("mkfifo", &["pipe.so"]);
    scene.tool("ln", &["-s", "pipe.so", "link.so"]);
    scene.tool("ln", &["-s", "/dev/zero", "zero.so"]);
    for name in ["pipe.so", "link.so", "zero.so", "/dev/zero"] {
        for command in ["check-abi", "inspect"] {
            let ran = scene.run(&[command, name]);
            assert_eq!(ran.status, 15, "{command} {name}: {ran}");
            assert!(ran.to_string().contains("not a regular file"), "{command} {name}: {ran}");
        }
    }
}

#[test]
fn programs_are_judged_as_programs_where_one_is_named() {
    let source =
        "extern unsigned arc4random(void);\nint main(int n, char **a) { return n > 1 ? arc4random() : 0; }\n";
    let scene = Scene::new().file("new.c", source).file("old.c", "int main(void) { return 0; }\n");
    for (kind, flag) in [("pie", "-pie"), ("fixed", "-no-pie")] {
        for name in ["new", "old"] {
            scene.tool("gcc", &[&format!("{name}.c"), flag, "-fPIE", "-o", &format!("{name}-{kind}")]);
        }
        let ran = scene.run(&["check-abi", &format!("new-{kind}")]);
        assert!(ran.status == 6 && ran.stdout.contains("error[abi/symbol-version]"), "{ran}");
        let ran = scene.run(&["check-abi", &format!("old-{kind}"), "--manylinux", "manylinux_2_34"]);
        assert!(ran.status == 0 && ran.stdout.contains("is a program"), "{ran}");
    }
}

#[test]
fn what_is_not_there_is_named_as_an_input_that_cannot_be_read() {
    let scene = Scene::new();
    for command in ["check-abi", "inspect"] {
        let ran = scene.run(&[command, "build"]);
        assert_eq!(ran.status, 15, "{ran}");
        assert!(
            ran.stdout.contains("there is no `build`") && ran.stdout.contains("kernel-builder build"),
            "{ran}"
        );
        assert_eq!(scene.run(&[command, "missing.so"]).status, 15);
    }
}

/// Every command that judges built variants counts these findings.
fn counted(scene: &Scene, code: &str) -> Vec<(i32, usize)> {
    let commands = [["check-abi", "build", "--json"], ["audit", ".", "--json"]];
    let runs = commands.iter().map(|command| scene.run(command));
    runs.map(|ran| (ran.status, ran.stdout.matches(&format!("\"{code}\"")).count())).collect()
}

#[test]
fn a_library_without_its_entry_point_is_refused() {
    const METADATA: &str = r#"{"name":"demo-op","id":"_demo_op_cpu_x","version":1,"license":"Apache-2.0",
        "python-depends":[],"backend":{"type":"cpu"}}"#;
    let judged = |scene: Scene| {
        let scene = scene
            .file(&format!("{VARIANT}/_ops.py"), "from . import _demo_op_cpu_x\n")
            .file(&format!("{VARIANT}/metadata.json"), METADATA);
        counted(&scene, "abi/entry-point")
    };
    assert_eq!(judged(built(ENTRY, &[])), [(0, 0), (0, 0)]);
    for source in [
        format!("__attribute__((visibility(\"hidden\"))) {ENTRY}"),
        "int PyInit__demo_op_cpu_x = 1;\n".to_owned(),
        ENTRY.replace("_cpu_x", "_cpu_y"),
        String::new(),
    ] {
        assert_eq!(judged(built(&source, &[])), [(6, 1), (6, 1)], "{source}");
    }
    for (name, expected) in [("__tvm_ffi_f", (0, 0)), ("f", (6, 1))] {
        let folder = "build/tvm-ffi01-cpu-x86_64-linux";
        let scene = Scene::new()
            .file("f.c", &format!("int {name}(void) {{ return 0; }}\n"))
            .file(&format!("{folder}/__init__.py"), "__all__ = []\n")
            .file(&format!("{folder}/_ops.py"), "ID = '_demo_op_cpu_x'\n")
            .file(&format!("{folder}/metadata.json"), METADATA);
        scene.tool("gcc", &["-shared", "-fPIC", "f.c", "-o", &format!("{folder}/_demo_op_cpu_x.so")]);
        assert_eq!(counted(&scene, "abi/entry-point"), [expected; 2], "{name}");
    }
}

/// Nothing in a variant is trusted because of its name: the generated module is judged like the files beside it.
#[test]
fn the_generated_module_of_a_variant_is_judged() {
    const METADATA: &str = r#"{"name":"demo-op","id":"_demo_op_cpu_x","version":1,"license":"Apache-2.0",
        "python-depends":[],"backend":{"type":"cpu"}}"#;
    const GENERATED: &str = "import torch\nfrom . import _demo_op_cpu_x\nops = torch.ops._demo_op_cpu_x\n\
                             def add_op_namespace_prefix(op_name): return f\"_demo_op_cpu_x::{op_name}\"\n";
    let judged = |text: &str| {
        let scene = built(ENTRY, &[])
            .file(&format!("{VARIANT}/_ops.py"), text)
            .file(&format!("{VARIANT}/metadata.json"), METADATA);
        let ran = scene.run(&["check-abi", "build"]);
        (ran.status, format!("{ran}"))
    };
    let (status, told) = judged(GENERATED);
    assert_eq!(status, 0, "{told}");
    let (status, told) = judged(&format!("{GENERATED}torch.library.define(\"foo::bar\", \"() -> ()\")\n"));
    assert!(status == 6 && told.contains("`define` is given the operator \"foo::bar\""), "{told}");
    let (status, told) = judged(&GENERATED.replace("_demo_op_cpu_x::", "demo_op::"));
    assert!(status == 6 && told.contains("`_ops.py` names `demo_op` beside `_demo_op_cpu_x`"), "{told}");
    let (status, told) = judged(&GENERATED.replace("_demo_op_cpu_x::{op_name}", "{op_name}"));
    assert!(status == 6 && told.contains("makes the operator `f` of the name `f`"), "{told}");
}
