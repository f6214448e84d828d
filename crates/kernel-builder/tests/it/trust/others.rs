//! Readers and writers of signatures that nobody here wrote: PyPI's `sigstore`, the loader's own verification, and npm's
//! `@sigstore/verify`.

use std::process::{Command, Output};

use hub_testkit::sigstore::{Mutant, mutants};

use super::*;
use crate::scene::python;

/// Verifies files with PyPI's `sigstore`: as many lines of `name: verdict` as there are.
const PYTHON: &str = r#"
import json, sys, pathlib
from sigstore.models import Bundle, TrustedRoot
from sigstore.verify import Verifier, policy
root, content, *bundles = map(pathlib.Path, sys.argv[1:])
verifier = Verifier(trusted_root=TrustedRoot.from_file(str(root)))
content = content.read_bytes()
for path in bundles:
    for name, text in json.loads(path.read_text()).items():
        try:
            bundle = Bundle.from_json(text)
            if "dsseEnvelope" in text:
                verifier.verify_dsse(bundle, policy.UnsafeNoOp())
            else:
                verifier.verify_artifact(content, bundle, policy.UnsafeNoOp())
            print(f"accepted {name}")
        except Exception as error:
            print(f"refused {name}: {type(error).__name__}")
"#;

/// The loader's own verification of a variant, with other keys and another repository than its own.
const LOADER: &str = r#"
import sys, pathlib
import kernels.verify as verify
from sigstore.models import TrustedRoot
root = TrustedRoot.from_file(sys.argv[1])
verify.Verifier.production = classmethod(lambda cls, **_: verify.Verifier(trusted_root=root))
workflow = "https://github.com/acme/kernels/.github/workflows/publish.yaml@refs/heads/main"
verify.DEFAULT_POLICIES[:] = [verify.GitHubWorkflowPolicy(repo_id="acme/kernels", signer_uris=[workflow])]
for variant in sys.argv[2:]:
    print(type(verify.verify_variant(pathlib.Path(variant))).__name__)
"#;

/// The same with npm's `@sigstore/verify`.
const NODE: &str = r#"
const [root, content, ...bundles] = process.argv.slice(1);
const fs = require("node:fs");
const load = require("node:module").createRequire(process.env.NODE_ENVIRONMENT + "/");
const { bundleFromJSON } = load("@sigstore/bundle");
const { TrustedRoot } = load("@sigstore/protobuf-specs");
const { Verifier, toSignedEntity, toTrustMaterial } = load("@sigstore/verify");
const json = (path) => JSON.parse(fs.readFileSync(path));
const verifier = new Verifier(toTrustMaterial(TrustedRoot.fromJSON(json(root))));
const bytes = fs.readFileSync(content);
for (const path of bundles) {
  for (const [name, text] of Object.entries(json(path))) {
    try {
      const bundle = bundleFromJSON(JSON.parse(text));
      verifier.verify("dsseEnvelope" in JSON.parse(text) ? toSignedEntity(bundle) : toSignedEntity(bundle, bytes));
      console.log(`accepted ${name}`);
    } catch (error) {
      console.log(`refused ${name}: ${error.name}`);
    }
  }
}
"#;

#[expect(clippy::disallowed_methods, reason = "the tests start Node as a shell does")]
fn run_node(arguments: &[&Path]) -> Output {
    let packages = crate::scene::repository().join(".environment-node");
    assert!(packages.exists(), "make it with `scripts/node-environment`");
    Command::new("node")
        .args(["-e", NODE, "--"])
        .args(arguments)
        .env("NODE_ENVIRONMENT", packages)
        .output()
        .expect("Node starts")
}

#[expect(clippy::disallowed_methods, reason = "the tests start Python as a shell does")]
fn run(script: &str, arguments: &[&Path]) -> Output {
    Command::new(python()).args(["-I", "-c", script]).args(arguments).output().expect("Python starts")
}

fn lines(output: Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text.lines().map(str::to_owned).collect()
}

/// A built project whose variants PyPI's `sigstore` has signed, for no place.
pub(super) fn signed_by_others(services: &Sigstore, scene: Scene) -> Scene {
    for variant in ["torch-cpu", "torch-universal"] {
        let folder = scene.path(&format!("build/{variant}"));
        let bundle = sign_as_others(services, &fs_err::read(folder.join("metadata.json")).expect("metadata"));
        fs_err::write(folder.join("metadata.json.sigstore"), bundle).expect("written");
    }
    scene
}

/// Signs bytes with PyPI's `sigstore`.
#[expect(clippy::disallowed_methods, reason = "the tests start Python as a shell does")]
pub(super) fn sign_as_others(services: &Sigstore, content: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs_err::write(path("trust.json"), services.trust_config().to_string()).expect("written");
    fs_err::write(path("content"), content).expect("written");
    let output = Command::new(python())
        .args(["-I", "-m", "sigstore", "--trust-config"])
        .arg(path("trust.json"))
        .args(["sign", "--identity-token", &Workflow::default().token(), "--bundle"])
        .args([path("bundle"), path("content")])
        .env("HOME", folder.path())
        .output()
        .expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs_err::read_to_string(path("bundle")).expect("a bundle")
}

/// The bundle of one variant and the statement about the set, by name.
fn bundles(scene: &Scene) -> [(&'static str, Value); 2] {
    let read = |path: &Path| serde_json::from_slice(&fs_err::read(path).expect("a bundle")).expect("JSON");
    let mut statements = fs_err::read_dir(scene.path("build/provenance")).expect("statements");
    let statement = statements.next().expect("one").expect("an entry").path();
    [
        ("signature", read(&scene.path("build/torch-cpu/metadata.json.sigstore"))),
        ("statement", read(&statement)),
    ]
}

fn write(
    scene: &Scene,
    name: &str,
    bundles: impl IntoIterator<Item = (String, String)>,
) -> std::path::PathBuf {
    let text =
        Value::Object(bundles.into_iter().map(|(name, text)| (name, text.into())).collect()).to_string();
    let path = scene.path(name);
    fs_err::write(&path, text).expect("written");
    path
}

#[test]
fn others_accept_what_we_sign() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services).file("root.json", &services.trusted_root().to_string());
    let both = bundles(&scene).map(|(name, bundle)| (name.to_owned(), bundle.to_string()));
    let file = write(&scene, "bundles.json", both);
    let (root, content) = (scene.path("root.json"), scene.path("build/torch-cpu/metadata.json"));
    assert_eq!(lines(run(PYTHON, &[&root, &content, &file])), ["accepted signature", "accepted statement"]);
    let (cpu, universal) = (scene.path("build/torch-cpu"), scene.path("build/torch-universal"));
    assert_eq!(lines(run(LOADER, &[&root, &cpu, &universal])), ["Success", "Success"]);
    fs_err::write(cpu.join("__init__.py"), "changed = 1\n").expect("written");
    assert_eq!(lines(run(LOADER, &[&root, &cpu])), ["DigestVerificationFailure"]);
}

/// Lists the changes that PyPI's `sigstore` does not mind; each of them is refused by us.
#[test]
fn what_others_let_pass_is_known() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services).file("root.json", &services.trusted_root().to_string());
    let all = bundles(&scene).map(|(name, bundle)| {
        let named = |Mutant { what, bundle }: Mutant| (format!("{name} {what}"), bundle);
        mutants(&bundle).into_iter().map(named).collect::<Vec<_>>()
    });
    let file = write(&scene, "mutants.json", all.into_iter().flatten());
    let (root, content) = (scene.path("root.json"), scene.path("build/torch-cpu/metadata.json"));
    let verdicts = lines(run(PYTHON, &[&root, &content, &file]));
    assert!(verdicts.len() > 400, "{}", verdicts.len());
    let mut accepted: Vec<&str> =
        verdicts.iter().filter_map(|verdict| verdict.strip_prefix("accepted ")).collect();
    accepted.sort_unstable();
    insta::assert_snapshot!(accepted.join("\n"));
}

/// Lists the changes that npm's `@sigstore/verify` does not mind; each of them is refused by us.
#[test]
#[ignore = "long: needs Node and the packages of `scripts/node-environment`"]
fn what_the_javascript_verifier_accepts_and_lets_pass_is_known() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services).file("root.json", &services.trusted_root().to_string());
    let (root, content) = (scene.path("root.json"), scene.path("build/torch-cpu/metadata.json"));
    let both = bundles(&scene).map(|(name, bundle)| (name.to_owned(), bundle.to_string()));
    let file = write(&scene, "bundles.json", both);
    let verdicts = lines(run_node(&[&root, &content, &file]));
    assert_eq!(verdicts, ["accepted signature", "accepted statement"]);
    let all = bundles(&scene).map(|(name, bundle)| {
        let named = |Mutant { what, bundle }: Mutant| (format!("{name} {what}"), bundle);
        mutants(&bundle).into_iter().map(named).collect::<Vec<_>>()
    });
    let file = write(&scene, "mutants.json", all.into_iter().flatten());
    let verdicts = lines(run_node(&[&root, &content, &file]));
    let mut accepted: Vec<&str> =
        verdicts.iter().filter_map(|verdict| verdict.strip_prefix("accepted ")).collect();
    eprintln!("@sigstore/verify accepts {} of {} changes", accepted.len(), verdicts.len());
    assert!(verdicts.len() > 400, "{}", verdicts.len());
    // Where in the certificate differs from run to run.
    for change in &mut accepted {
        *change = change.split(": byte ").next().unwrap_or(change);
    }
    accepted.sort_unstable();
    accepted.dedup();
    insta::assert_snapshot!(accepted.join("\n"));
}

#[test]
fn what_others_sign_is_verified() {
    let services = Sigstore::start().expect("services");
    let scene = signed_by_others(&services, job(&services));
    assert_eq!(verify(&scene, &["--allow-unplaced"]).status, 0);
}
