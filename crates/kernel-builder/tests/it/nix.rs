//! The Nix engine with a real Nix (`scripts/nix-environment`), sandboxed and without a network. Its compiler is a stand-in
//! made of this system's own packages; what nixpkgs has is not tried here.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::build::{OWN, VARIANT, build, kernel, library, steps};
use crate::load::run_python;
use crate::scene::{Ran, Scene, python, repository};

/// Where Nix of the tests is, without links: Nix follows none to its store.
pub(crate) fn place() -> PathBuf {
    let place = repository().join(".nix");
    assert!(place.join("stamp").exists(), "make the tests' Nix with `scripts/nix-environment`");
    place.canonicalize().expect("a folder")
}

/// Nix of the tests, its store and its stand-in for nixpkgs.
pub(crate) fn with_nix(scene: Scene) -> Scene {
    let place = place();
    let path = |name: &str| place.join(name).to_str().expect("UTF-8").to_owned();
    let cache = scene.path("nix-cache").to_str().expect("UTF-8").to_owned();
    #[expect(clippy::disallowed_methods, reason = "the machine's own programs stay in reach")]
    let programs = std::env::var("PATH").expect("a PATH");
    scene
        .variable("PATH", &format!("{}:{programs}", path("bin")))
        .variable("NIX_CONF_DIR", &path("conf"))
        .variable("XDG_CACHE_HOME", &cache)
        .variable("KERNEL_BUILDER_NIX_TOOLCHAIN", &path("toolchain.nix"))
        .variable("KERNEL_BUILDER_NIX_STORE", &path("store"))
        .variable("KERNEL_BUILDER_ENGINE", "nix")
}

impl Scene {
    /// One of Nix's programs on the tests' store, in a folder of the scene's.
    #[expect(clippy::disallowed_methods, reason = "the tests start Nix as a shell does")]
    pub(crate) fn nix(&self, program: &str, folder: &str, arguments: &[&str]) -> Ran {
        let mut command = Command::new(place().join("bin").join(program));
        command
            .args(arguments)
            .arg("--store")
            .arg(place().join("store"))
            .current_dir(self.path(folder))
            .env_clear();
        command.envs(self.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
        self.ran(&mut command)
    }
}

fn scene() -> Scene {
    kernel(with_nix(crate::build::scene()), "")
}

/// Runs the binary where the tests' store lies at `/nix`, so that its compiler can be run without Nix.
#[expect(clippy::disallowed_methods, reason = "the tests start the binary as a shell does")]
pub(crate) fn run_with_store(scene: &Scene, arguments: &[&str]) -> Ran {
    let own = scene.command(arguments);
    let mut command = Command::new("bwrap");
    for entry in fs_err::read_dir("/").expect("the root") {
        let path = entry.expect("an entry").path();
        if path.to_str() != Some("/nix") {
            command.arg("--dev-bind").arg(&path).arg(&path);
        }
    }
    command.arg("--bind").arg(place().join("store/nix")).arg("/nix");
    command.arg(own.get_program()).args(own.get_args()).current_dir(scene.path("")).env_clear();
    command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    scene.ran(command.stdin(Stdio::null()))
}

fn metadata(scene: &Scene, place: &str) -> Value {
    let text = fs_err::read(scene.path(&format!("{place}/metadata.json"))).expect("metadata");
    serde_json::from_slice(&text).expect("JSON")
}

/// The stand-in's compiler, as `CXX` names it where the store lies at `/nix`.
pub(crate) fn compiler() -> String {
    let store = fs_err::read_dir(place().join("store/nix/store")).expect("the store");
    let names = store.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    let name = names.filter(|name| name.ends_with("-debian-toolchain")).min().expect("the toolchain");
    let programs = place().join(format!("store/nix/store/{name}/usr/bin"));
    let driver = fs_err::read_dir(programs).expect("programs").find_map(|entry| {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        Some(name).filter(|name| name.starts_with("x86_64-linux-gnu-g++-"))
    });
    let root = format!("/nix/store/{name}");
    format!("{root}/usr/bin/{} --sysroot={root} -B{root}/usr/bin/", driver.expect("a driver"))
}

#[test]
fn both_engines_make_the_same_bytes_with_the_same_compiler() {
    let scene = scene();
    let built = build(&scene, "", &[]);
    assert_eq!((&built["work"], &built["sandbox"]), (&"built".into(), &"nix".into()));
    assert_eq!(metadata(&scene, &format!("build/{VARIANT}"))["x-kernel-builder"]["engine"], "nix");
    let by_nix = library(&scene, "");

    let scene = scene.variable("KERNEL_BUILDER_ENGINE", "local").variable("CXX", &compiler());
    let ran = run_with_store(&scene, &["build", "--json", "--sandbox", "require", "--out", "local"]);
    assert_eq!(ran.status, 0, "{ran}");
    let place = format!("local/{VARIANT}");
    let record = |place: &str| metadata(&scene, place)["x-kernel-builder"].clone();
    assert_eq!(
        (&record(&place)["engine"], &record(&place)["sandbox"]),
        (&"local".into(), &"bubblewrap".into())
    );
    assert_eq!(record(&place)["toolchain"], record(&format!("build/{VARIANT}"))["toolchain"]);
    let name = fs_err::read_dir(scene.path(&place)).expect("a variant").find_map(|entry| {
        let path = entry.expect("an entry").path();
        Some(path).filter(|path| path.extension().is_some_and(|end| end == "so"))
    });
    assert!(fs_err::read(name.expect("a library")).expect("bytes") == by_nix, "the engines differ");
}

#[test]
fn nothing_is_made_again_that_has_not_changed() {
    let scene = scene();
    let git = |arguments: &[&str]| scene.tool("git", arguments);
    git(&["init", "-q"]);
    git(&["add", "."]);
    let commit = ["-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qam"];
    git(&[&commit[..], &["one"]].concat());
    assert_eq!(build(&scene, "", &[])["work"], "built");
    assert_eq!(build(&scene, "", &[])["work"], "up-to-date");

    fs_err::write(scene.path("README.md"), "# other\n").expect("written");
    git(&[&commit[..], &["docs"]].concat());
    let restamped = build(&scene, "", &[]);
    assert_eq!((&restamped["work"], steps(&restamped).len()), (&"restamped".into(), 0));

    let package = "tvm-ffi-ext/demo_op/__init__.py";
    // Nix keeps what earlier runs of this test made, so each has its own content.
    let unseen = scene.path("").to_str().expect("UTF-8").to_owned();
    let text = format!("from ._ops import ops\nMORE = {unseen:?}\n");
    fs_err::write(scene.path(package), text).expect("written");
    let relinked = build(&scene, "", &[]);
    assert_eq!(steps(&relinked), OWN, "a Python file costs no compile");

    let text = format!("// {unseen}\n#pragma once\n#define VALUE 2\n");
    fs_err::write(scene.path("demo/common.h"), text).expect("written");
    let changed = build(&scene, "", &[]);
    assert!(steps(&changed).iter().any(|step| step.starts_with("compile demo/common.cpp")), "{changed}");
}

#[test]
fn a_compilers_words_are_told_as_the_local_engine_tells_them() {
    let scene = scene();
    fs_err::write(scene.path("a/k.cpp"), "int broken( {\n").expect("written");
    let by_nix = scene.run(&["build"]);
    assert_eq!(by_nix.status, 5, "{by_nix}");
    let scene = scene.variable("KERNEL_BUILDER_ENGINE", "local");
    let locally = scene.run(&["build"]);
    let error = |ran: &Ran| {
        let (_, error) = ran.stderr.split_once("error[build/compile]").expect("the error");
        // The stand-in has no locale, so its compiler quotes in ASCII.
        error.replace(['‘', '’'], "'")
    };
    assert_eq!(error(&by_nix), error(&locally));
    assert!(error(&by_nix).contains("a/k.cpp:1"), "{by_nix}");
}

#[test]
fn an_empty_store_and_a_second_run_give_the_same() {
    let scene = scene();
    build(&scene, "", &["--check-reproducible"]);
    let first = library(&scene, "");
    let place = place();
    let (from, to) = (place.join("store"), scene.path("other-store"));
    let (from, to) = (from.to_str().expect("UTF-8"), to.to_str().expect("UTF-8"));
    // What is built is built again there; only the compiler's files are brought.
    let text = fs_err::read_to_string(place.join("toolchain.nix")).expect("the toolchain");
    let files = text.split('"').nth(1).expect("a path in the store");
    let nix = place.join("bin/nix");
    let arguments = ["--extra-experimental-features", "nix-command", "copy", "--no-check-sigs"];
    let arguments = [&arguments[..], &["--from", from, "--to", to, files]].concat();
    scene.tool(nix.to_str().expect("UTF-8"), &arguments);
    fs_err::remove_dir_all(scene.path("build")).expect("removed");
    let again = build(&scene, "", &["--nix-store", to]);
    assert!(!steps(&again).is_empty(), "{again}");
    assert!(library(&scene, "") == first, "another store gives other bytes");
    scene.tool("chmod", &["-R", "u+w", to]);
}

#[test]
fn nix_itself_finds_nothing_that_differs_when_it_builds_again() {
    let scene = scene();
    build(&scene, "", &[]);
    let tool = |name: &str, arguments: &[&str]| -> String {
        let ran = scene.nix(name, "", arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran}");
        ran.stdout.trim().to_owned()
    };
    let result = fs_err::read_link(scene.path(".kernel-builder/nix/result")).expect("a result");
    let result = place().join("store").join(result.strip_prefix("/").expect("absolute"));
    let library = fs_err::read_link(result.join(VARIANT)).expect("a library");
    let library = tool("nix-store", &["--query", "--deriver", library.to_str().expect("UTF-8")]);
    let needed = tool("nix-store", &["--query", "--references", &library]);
    let objects = needed.lines().find(|line| line.ends_with("-objects.drv")).expect("objects");
    for derivation in [&library, objects] {
        let outputs = format!("{derivation}^*");
        let arguments = ["--extra-experimental-features", "nix-command", "build", "--rebuild", "--no-link"];
        tool("nix", &[&arguments[..], &[&outputs]].concat());
    }
}

/// A `nix` before the real one that writes a line for each time it is started.
#[test]
fn one_nix_is_started_for_a_build_and_none_where_nothing_is_to_do() {
    let scene = scene();
    let (count, real) = (scene.path("count"), place().join("bin/nix"));
    let (count, real) = (count.to_str().expect("UTF-8"), real.to_str().expect("UTF-8"));
    let scene = scene.file("bin/nix", &format!("#!/bin/sh\necho started >>{count}\nexec {real} \"$@\"\n"));
    scene.tool("chmod", &["+x", "bin/nix"]);
    let path = format!("{}:/usr/bin:/bin", scene.path("bin").to_str().expect("UTF-8"));
    let scene = scene.variable("PATH", &path);
    let started = |scene: &Scene| {
        let _ = fs_err::remove_file(count);
        build(scene, "", &[]);
        fs_err::read_to_string(count).unwrap_or_default().lines().count()
    };
    // The first build may have to ask what the compiler is.
    assert!(started(&scene) <= 2);
    assert_eq!(started(&scene), 0);
    let scene = scene.file("demo/common.h", "#pragma once\n#define VALUE 3\n");
    assert_eq!(started(&scene), 1);
    let text = "from ._ops import ops\nMORE = 1\n";
    assert_eq!(started(&scene.file("tvm-ffi-ext/demo_op/__init__.py", text)), 1);
}

#[test]
fn what_was_built_before_an_interruption_is_not_built_again() {
    let scene = scene();
    let unseen = format!("// {}\n#pragma once\n#define VALUE 4\n", scene.path("").display());
    let scene = scene.file("demo/common.h", &unseen);
    let mut child = scene.command(&["build", "--json"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    for line in lines {
        let line = line.expect("UTF-8");
        if line.contains("\"building '") && line.contains("-library.drv'") {
            scene.tool("kill", &["-INT", &child.id().to_string()]);
        }
    }
    assert!(!child.wait().expect("it ends").success());
    assert!(!scene.path("build").join(VARIANT).exists());
    let again = build(&scene, "", &[]);
    assert_eq!(steps(&again), OWN, "the objects are there already");
}

#[test]
fn a_backend_without_a_toolkit_is_refused_before_nix_is_started() {
    let scene =
        with_nix(Scene::new()).variable("KERNEL_BUILDER_PYTHON", &python()).variable("PATH", "/usr/bin:/bin");
    let scene = scene.file("bin/nix", "#!/bin/sh\necho started >&2\nexit 1\n");
    scene.tool("chmod", &["+x", "bin/nix"]);
    let path = format!("{}:/usr/bin:/bin", scene.path("bin").to_str().expect("UTF-8"));
    let scene = scene.variable("PATH", &path);
    let arguments = ["init", "demo", "--name", "acme/demo", "--framework", "torch", "--backends", "rocm"];
    let made = scene.run(&arguments);
    assert_eq!(made.status, 0, "{made}");
    let variant = concat!("torch213-cxx11-rocm72-", "x86_64-linux");
    let ran = scene.run(&["build", "demo", "--variant", variant, "--json"]);
    assert_eq!(ran.status, 4, "{ran}");
    assert_eq!(ran.json().pop().expect("an answer")["code"], "nix/unsupported", "{ran}");
    assert!(!ran.stdout.contains("started"), "{ran}");
}

#[test]
fn without_a_sandbox_nothing_is_built() {
    let scene = scene();
    let unseen = format!("// {}\n#pragma once\n#define VALUE 1\n", scene.path("").display());
    let scene = scene.file("demo/common.h", &unseen);
    let conf = fs_err::read_to_string(place().join("conf/nix.conf")).expect("the settings");
    let conf = conf.replace("sandbox = true", "sandbox = false");
    let scene = scene.file("conf/nix.conf", &conf);
    let place = scene.path("conf").to_str().expect("UTF-8").to_owned();
    let scene = scene.variable("NIX_CONF_DIR", &place);
    // A store elsewhere is always confined, so it lies at the root for this once.
    let ran = run_with_store(&scene.variable("KERNEL_BUILDER_NIX_STORE", ""), &["build", "--json"]);
    assert_eq!(ran.status, 4, "{ran}");
    assert!(ran.stdout.contains("nix/unconfined"), "{ran}");
}

/// What Nix would say in states that this machine is not in, by a program of its name.
#[test]
fn what_nix_refuses_has_a_code_of_its_own_and_nixs_words() {
    let message = |text: &str| format!("@nix {{\"action\":\"msg\",\"level\":0,\"msg\":\"{text}\"}}");
    let states = [
        ("nix/disabled", message("error: experimental Nix feature 'nix-command' is disabled")),
        ("nix/disabled", "error: unrecognised flag '--argstr'".to_owned()),
        ("nix/daemon", message("error: cannot connect to socket at '/nix/var/nix/daemon-socket/socket'")),
        (
            "nix/daemon",
            format!(
                "warning: ignoring a setting\n{}",
                message("error: cannot connect to socket at '/x': Connection refused")
            ),
        ),
        ("nix/disk-full", message("error: writing to file: No space left on device")),
        ("nix/store", message("error: creating directory '/nix/store': Permission denied")),
        (
            "nix/fetch",
            message("error: unable to download 'https://example.org/x': Couldn't resolve host name"),
        ),
        ("nix/evaluation", message("\\u001b[31;1merror:\\u001b[0m undefined variable 'gcc99'")),
        ("nix/evaluation", "Segmentation fault".to_owned()),
    ];
    for (code, says) in states {
        let scene = crate::build::scene().variable("KERNEL_BUILDER_ENGINE", "nix");
        let stub = format!("#!/bin/sh\ncat >&2 <<'END'\n{says}\nEND\nexit 1\n");
        let scene = kernel(scene, "").file("bin/nix", &stub);
        scene.tool("chmod", &["+x", "bin/nix"]);
        let path = format!("{}:/usr/bin:/bin", scene.path("bin").to_str().expect("UTF-8"));
        let cache = scene.path("cache").to_str().expect("UTF-8").to_owned();
        let scene = scene.variable("PATH", &path).variable("KERNEL_BUILDER_CACHE_DIR", &cache);
        let ran = scene.run(&["build", "--json"]);
        assert_eq!(ran.status, 4, "{code}: {ran}");
        let error = ran.json().pop().expect("an answer");
        assert_eq!(error["code"], code, "{ran}");
        assert!(!error["findings"][0]["causes"][0].as_str().expect("its words").contains('\u{1b}'), "{ran}");
        // What needs no Nix never starts it.
        assert_eq!(scene.run(&["check"]).status, 0);
    }
}

#[test]
fn without_nix_what_to_do_is_said() {
    let scene = kernel(crate::build::scene(), "").variable("PATH", "/usr/bin:/bin");
    let ran = scene.run(&["build", "--engine", "nix", "--json"]);
    assert_eq!(ran.status, 4, "{ran}");
    assert_eq!(ran.json().pop().expect("an answer")["code"], "nix/missing");
}

#[test]
fn a_file_that_describes_no_compiler_is_refused() {
    let shell = "{ system = builtins.currentSystem; shell = \"/bin/sh\"; path = [ ]; cxx = [ \"true\" ]; \
                 ar = \"ar\"; files = { }; }";
    let scene = scene().file("other.nix", shell);
    let ran = scene.run(&["build", "--json", "--nix-toolchain", "other.nix"]);
    assert_eq!(ran.status, 4, "{ran}");
    assert_eq!(ran.json().pop().expect("an answer")["code"], "nix/toolchain", "{ran}");
}

#[test]
fn every_framework_is_built_and_loaded() {
    for (framework, variant) in [
        ("torch", "torch215-cxx11-cpu-"),
        ("torch-stable", "torch-stable-abi211-cpu-"),
        ("tvm-ffi", "tvm-ffi01-cpu-"),
        ("torch-noarch", "torch-cpu"),
    ] {
        let scene = with_nix(Scene::new()).variable("KERNEL_BUILDER_PYTHON", &python());
        let made = scene.run(&["init", "demo", "--name", "acme/demo", "--framework", framework]);
        assert_eq!(made.status, 0, "{made}");
        let built = build(&scene, "demo", &[]);
        let name = built["variant"].as_str().expect("a name");
        assert!(name.starts_with(variant), "{name}");
        assert_eq!(metadata(&scene, &format!("demo/build/{name}"))["x-kernel-builder"]["engine"], "nix");
        let program = "import torch\nfrom pathlib import Path\nfrom kernels import get_local_kernel\n\
                       kernel = get_local_kernel(Path('demo').absolute())\nx = torch.randn(3, 8)\n\
                       right = torch.nn.functional.silu(x[:, :4]) * x[:, 4:]\n\
                       print(torch.allclose(kernel.silu_and_mul(x), right, atol=1e-6))";
        assert_eq!(run_python(&scene, program), "True\n", "{framework}");
    }
}

#[test]
fn a_pipe_in_the_place_of_certificates_is_not_handed_to_nix() {
    let scene = scene();
    scene.tool("mkfifo", &["pipe"]);
    let pipe = scene.path("pipe").to_str().expect("UTF-8").to_owned();
    let scene = scene.variable("NIX_SSL_CERT_FILE", &pipe);
    let ran = scene.run_for_a_minute(&["build", "--json"]);
    assert_eq!(ran.json().pop().expect("an answer")["code"], "environment/unreadable", "{ran}");
    assert!(ran.stdout.contains("NIX_SSL_CERT_FILE"), "{ran}");
}
