//! A kernel's flake with a real Nix, sandboxed and without a network: the second door of the Nix engine. What it takes from
//! nixpkgs is a stand-in (`nix/testing/stand-in`).

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::load::run_python;
use crate::nix::{place, with_nix};
use crate::scene::{Ran, Scene, python, repository};

const VARIANT: &str = concat!("tvm-ffi01-cpu-", "x86_64-linux");

/// Nix in the project of the scene, to success.
fn nix(scene: &Scene, arguments: &[&str]) -> Ran {
    let settings = ["--extra-experimental-features", "nix-command flakes", "--offline"];
    let ran = scene.nix("nix", "demo", &[&settings[..], arguments].concat());
    assert_eq!(ran.status, 0, "{arguments:?}: {ran}");
    ran
}

/// A scene with what flakes take as their inputs; `builds` says whether more than evaluation is meant.
#[expect(clippy::disallowed_methods, reason = "the tests start scripts as a shell does")]
fn scene(builds: bool) -> Scene {
    let scene = with_nix(Scene::new()).variable("KERNEL_BUILDER_PYTHON", &python());
    let mut command = Command::new(repository().join("nix/testing/stand-in"));
    command.arg(scene.path("inputs")).arg(place()).env("NIX_CONF_DIR", place().join("conf"));
    if builds {
        command.arg(env!("CARGO_BIN_EXE_kernel-builder")).arg(python());
    }
    let status = command.env("XDG_CACHE_HOME", scene.path("nix-cache")).status();
    assert!(status.expect("the script starts").success(), "the stand-in is laid out");
    scene
}

/// A sample project as a flake in a repository, with everything in its first commit.
fn project(scene: Scene, framework: &str, backends: &str) -> Scene {
    let arguments = ["init", "demo", "--name", "acme/demo", "--framework", framework, "--backends", backends];
    let made = scene.run(&arguments);
    assert_eq!(made.status, 0, "{made}");
    let inputs = scene.path("inputs");
    let flake = format!(
        "{{\n  inputs.kernel-builder.url = \"path:{0}/builder\";\n  \
         inputs.kernel-builder.inputs.nixpkgs.url = \"path:{0}/nixpkgs\";\n  \
         outputs = {{ self, kernel-builder }}: kernel-builder.lib.genKernelFlakeOutputs {{\n    \
         inherit self;\n    path = ./.;\n    pythonCheckInputs = python: [ ];\n  }};\n}}\n",
        inputs.to_str().expect("UTF-8")
    );
    let scene = scene.file("demo/flake.nix", &flake);
    scene.tool("git", &["-C", "demo", "init", "-q"]);
    scene.tool("git", &["-C", "demo", "add", "."]);
    nix(&scene, &["flake", "lock"]);
    commit(&scene);
    scene
}

/// Commits everything; the answer is the commit.
fn commit(scene: &Scene) -> String {
    scene.tool("git", &["-C", "demo", "add", "."]);
    let arguments = ["-C", "demo", "-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "x"];
    scene.tool("git", &arguments);
    let head = fs_err::read_to_string(scene.path("demo/.git/HEAD")).expect("a branch");
    let branch = head.trim().trim_start_matches("ref: ").to_owned();
    fs_err::read_to_string(scene.path("demo/.git").join(branch)).expect("a commit").trim().to_owned()
}

fn evaluated(scene: &Scene, what: &str) -> Value {
    let ran = nix(scene, &["eval", "--json", what, "--apply", "builtins.attrNames"]);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// Where a file of the store lies on this machine.
fn real(path: &str) -> String {
    format!("{}{path}", place().join("store").to_str().expect("UTF-8"))
}

#[test]
fn a_flake_has_the_variants_that_the_program_lists() {
    let stable = "stable-abi = { cuda = \"2.11\" }\nmaxver = \"2.13.1\"\nminver = \"2.12\"";
    let bounds = "[general.cuda]\nminver = \"13.0\"\nmaxver = \"13\"\n\n";
    let every = "cpu,cuda,metal,rocm,xpu";
    let cases = [
        ("torch", every, None),
        ("torch", every, Some(("[torch]\n", format!("{bounds}[torch]\n{stable}\n")))),
        ("torch-stable", "cpu,cuda,rocm", None),
        ("tvm-ffi", "cpu,cuda", None),
        ("torch-noarch", "cpu,cuda,rocm,xpu", None),
        ("torch-noarch", "cpu", Some(("[\"cpu\"]", "[\"cann\", \"neuron\", \"tpu\", \"metal\"]".to_owned()))),
        // A backend without components is there in Python alone.
        ("torch", "cpu", Some(("[\"cpu\"]", "[\"cpu\", \"cuda\", \"tpu\"]".to_owned()))),
    ];
    let names = repository().join("nix/flake/variants.nix");
    for (framework, backends, change) in cases {
        let scene = with_nix(Scene::new());
        let arguments =
            ["init", "demo", "--name", "acme/demo", "--framework", framework, "--backends", backends];
        let made = scene.run(&arguments);
        assert_eq!(made.status, 0, "{made}");
        if let Some((from, to)) = &change {
            let text = fs_err::read_to_string(scene.path("demo/build.toml")).expect("a manifest");
            assert!(text.contains(from), "{text}");
            fs_err::write(scene.path("demo/build.toml"), text.replacen(from, to, 1)).expect("written");
        }
        let listed = scene.run(&["variants", "demo", "--all"]);
        assert_eq!(listed.status, 0, "{listed}");
        let expression = format!(
            "builtins.attrNames (import {} {{ manifest = builtins.fromTOML (builtins.readFile ./build.toml); }})",
            names.to_str().expect("UTF-8")
        );
        let ran = nix(&scene, &["eval", "--impure", "--json", "--expr", &expression]);
        let evaluated: BTreeSet<String> = serde_json::from_str(&ran.stdout).expect("JSON");
        let listed: BTreeSet<String> = listed.stdout.lines().map(str::to_owned).collect();
        assert_eq!(evaluated, listed, "{framework} {change:?}");
        assert!(!listed.is_empty());
    }
}

#[test]
fn a_flake_is_shown_and_checked() {
    let scene = project(scene(false), "torch", "cpu,cuda,metal,rocm,xpu");
    nix(&scene, &["flake", "show", "--json"]);
    nix(&scene, &["flake", "check", "--all-systems"]);
    let systems = ["aarch64-darwin", "aarch64-linux", "x86_64-linux"];
    let names = systems.map(|system| evaluated(&scene, &format!(".#legacyPackages.{system}.variants")));
    insta::assert_snapshot!(serde_json::to_string_pretty(&names[..]).expect("JSON"));
    // Every one of them, whether it can be built here or not, is a derivation.
    let every = "set: map (name: set.${name}.drvPath) (builtins.attrNames set)";
    nix(&scene, &["eval", "--json", ".#legacyPackages.x86_64-linux.variants", "--apply", every]);
    let shells = evaluated(&scene, ".#devShells.x86_64-linux");
    for shell in
        ["default", "test", "test-torch213-cxx11-cpu-x86_64-linux", "torch213-cxx11-cpu-x86_64-linux"]
    {
        assert!(shells.as_array().expect("names").contains(&shell.into()), "{shells}");
    }
}

#[test]
#[ignore = "long: builds through both doors of Nix, half a minute"]
fn a_flake_builds_stamps_and_seals_as_the_program_does() {
    let scene = project(scene(true), "tvm-ffi", "cpu");
    let installable = format!(".#variants.{VARIANT}");
    let arguments = ["build", "-L", "--json", "--no-link", installable.as_str()];
    let built = |scene: &Scene| -> (String, Value, Ran) {
        let ran = nix(scene, &arguments);
        let answer: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let path = real(answer[0]["outputs"]["out"].as_str().expect("a path"));
        let text = fs_err::read(Path::new(&path).join("metadata.json")).expect("metadata");
        (path, serde_json::from_slice(&text).expect("JSON"), ran)
    };
    // What differs from other runs of this test is compiled, whatever the store has kept.
    let source = scene.path("demo/src/cpu/silu_and_mul.cpp");
    let text = fs_err::read_to_string(&source).expect("a source");
    fs_err::write(&source, format!("{text}// {}\n", scene.path("").display())).expect("written");
    let first = commit(&scene);
    let (path, metadata, _) = built(&scene);
    let provenance = |commit: &str, dirty: bool| serde_json::json!({ "commit": commit, "dirty": dirty });
    assert_eq!(metadata["provenance"]["kernel"], provenance(&first, false));
    let record = &metadata["x-kernel-builder"];
    assert_eq!((&record["engine"], &record["sandbox"]), (&"nix".into(), &"nix".into()));

    // The other door makes the same of it.
    let library = format!("{}.so", metadata["id"].as_str().expect("an id"));
    let other = scene.run(&["build", "demo", "--variant", VARIANT]);
    assert_eq!(other.status, 0, "{other}");
    let bytes = |path: &Path| fs_err::read(path.join(&library)).expect("a library");
    let place = scene.path("demo/build").join(VARIANT);
    assert!(bytes(Path::new(&path)) == bytes(&place), "the doors differ");
    let text = fs_err::read(place.join("metadata.json")).expect("metadata");
    let by_other: Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(by_other, metadata);

    // A commit of documents alone is stamped and nothing else; so is a change that is in no commit.
    fs_err::write(scene.path("demo/README.md"), "# other\n").expect("written");
    let second = commit(&scene);
    let (_, metadata, ran) = built(&scene);
    assert_eq!(metadata["provenance"]["kernel"], provenance(&second, false));
    assert!(!ran.stderr.contains("-objects.drv") && !ran.stderr.contains("-library.drv"), "{ran}");
    fs_err::write(scene.path("demo/README.md"), "# another\n").expect("written");
    let (path, metadata, _) = built(&scene);
    assert_eq!(metadata["provenance"]["kernel"], provenance(&second, true));

    // Built once more it is the same, and the real loader takes it.
    nix(&scene, &["build", "--rebuild", "--no-link", &installable]);
    scene.tool("rm", &["-r", "demo/build"]);
    fs_err::create_dir(scene.path("demo/build")).expect("a folder");
    let place = place.to_str().expect("UTF-8");
    scene.tool("cp", &["-r", "--no-preserve=mode", &path, place]);
    let checked = scene.run(&["check-abi", place]);
    assert_eq!(checked.status, 0, "{checked}");
    let program = "import torch\nfrom pathlib import Path\nfrom kernels import get_local_kernel\n\
                   kernel = get_local_kernel(Path('demo').absolute())\nx = torch.randn(3, 8)\n\
                   right = torch.nn.functional.silu(x[:, :4]) * x[:, 4:]\n\
                   print(torch.allclose(kernel.silu_and_mul(x), right, atol=1e-6))";
    assert_eq!(run_python(&scene, program), "True\n");
}
