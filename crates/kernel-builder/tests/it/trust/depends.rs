//! What a kernel depends on, and the names of publishers.

use hub_testkit::{Hub, Role};

use super::*;

/// A Hub of two publishers who are trusted, and one whose name could be taken for another.
fn hub() -> Hub {
    let hub = Hub::builder().user("writer", "hf_secret_writer", Role::Write);
    let owners = ["acme", "others", "kernels-comunity"].into_iter();
    let hub =
        owners.fold(hub, |hub, name| hub.organization(name, name != "others", &[("writer", Role::Write)]));
    hub.start().expect("a hub")
}

/// Signs and publishes a kernel that depends on others.
fn publish(services: &Sigstore, hub: &Hub, repository: &str, depends: &[&str]) -> Scene {
    let mut scene =
        job(services).variable("HF_ENDPOINT", &hub.url()).variable("HF_TOKEN", "hf_secret_writer");
    let named = |id: &&str| serde_json::json!({ "repo-id": id, "version": 1 });
    let depends: Vec<Value> = depends.iter().map(named).collect();
    for variant in ["torch-cpu", "torch-universal"] {
        let path = format!("build/{variant}/metadata.json");
        let text = fs_err::read_to_string(scene.path(&path)).expect("metadata");
        let mut metadata: Value = serde_json::from_str(&text).expect("JSON");
        metadata["kernel-depends"] = depends.clone().into();
        scene = scene.file(&path, &metadata.to_string());
    }
    let place = ["--repo-id", repository];
    for arguments in [&["sign", "--trust-config", "trust.json"][..], &["upload"]] {
        let ran = scene.run(&[arguments, &place].concat());
        assert_eq!(ran.status, 0, "{ran}");
    }
    scene
}

/// A policy for another repository than the usual one.
fn other_policy(scene: Scene) -> Scene {
    scene.file("other.toml", &POLICY.replace("101", "202"))
}

fn other_job(services: &Sigstore) {
    services.set_job(workflow(|run| "202".clone_into(&mut run.repository_id)));
}

#[test]
fn dependencies_are_verified_like_the_kernel_itself() {
    let (services, hub) = (Sigstore::start().expect("services"), hub());
    publish(&services, &hub, "acme/deep", &["acme/demo"]);
    other_job(&services);
    publish(&services, &hub, "others/dep", &["acme/deep"]);
    services.set_job(Workflow::default());
    publish(&services, &hub, "acme/demo", &["others/dep"]);
    let reader = || other_policy(job(&services).variable("HF_ENDPOINT", &hub.url()));
    let ran = verify(&reader(), &["acme/demo@v1"]);
    assert_eq!(
        (ran.status, codes(&ran)),
        (6, vec!["trust/dependency".to_owned()]),
        "nobody knows its signer"
    );
    assert!(ran.stdout.contains("trust/repository"), "{ran}");
    let known = ["acme/demo@v1", "--dependency-policy", "other.toml"];
    let scene = reader();
    let ran = verify(&scene, &known);
    assert_eq!((ran.status, codes(&ran)), (0, vec![]), "{ran}");
    let last = report(&ran);
    let seen: Vec<_> = last["depends"].as_array().expect("dependencies").iter().collect();
    let names: Vec<_> = seen.iter().map(|kernel| kernel["kernel"].as_str().expect("a name")).collect();
    assert_eq!(names, ["others/dep@v1", "acme/deep@v1"], "each once, though they lead in a circle");
    let trusted: Vec<_> = seen.iter().map(|kernel| kernel["publisher"]["trusted"].clone()).collect();
    assert_eq!(trusted, [false, true]);
    assert_eq!(last["publisher"], serde_json::json!({ "name": "acme", "trusted": true }));
    let usual = ["verify", "--trust-config", "trust.json", "--policy", "policy.toml"];
    let ran = scene.run(&[&usual[..], &known].concat());
    insta::assert_snapshot!(without_numbers(&ran));
    let ran = verify(&scene, &[&known[..], &["--offline"]].concat());
    assert_eq!(report(&ran)["code"], "hub/offline");
    // A dependency's own policy says nothing about the kernel itself.
    let ran = verify(&scene, &["others/dep@v1", "--dependency-policy", "other.toml"]);
    assert!(ran.status == 6 && codes(&ran).contains(&"trust/repository".to_owned()), "{ran}");
}

#[test]
fn a_poisoned_dependency_is_refused() {
    let (services, hub) = (Sigstore::start().expect("services"), hub());
    let dependency = publish(&services, &hub, "acme/dep", &[]);
    publish(&services, &hub, "acme/demo", &["acme/dep"]);
    let reader = job(&services).variable("HF_ENDPOINT", &hub.url());
    let refused = |why: &str| {
        let ran = verify(&reader, &["acme/demo@v1"]);
        assert_eq!((ran.status, codes(&ran)), (6, vec!["trust/dependency".to_owned()]), "{ran}");
        assert!(ran.stdout.contains(why), "{why}: {ran}");
    };
    let ran = verify(&reader, &["acme/demo@v1"]);
    assert_eq!((ran.status, codes(&ran)), (0, vec![]), "{ran}");
    let put = |path: &str, content: &[u8]| hub.put("kernels/acme/dep", "v1", path, content).expect("changed");
    let honest = fs_err::read(dependency.path("build/torch-cpu/__init__.py")).expect("a file");
    put("build/torch-cpu/__init__.py", b"import os\n");
    refused("artifact/digest");
    put("build/torch-cpu/__init__.py", &honest);
    put("build/torch-cpu/__pycache__/__init__.cpython-311.pyc", b"evil");
    refused("trust/stray");
    // One whose publisher has nothing to do with it, under the same name.
    let (services, hub) = (Sigstore::start().expect("services"), self::hub());
    publish(&services, &hub, "acme/demo", &["acme/dep", "nobody/there"]);
    let reader = job(&services).variable("HF_ENDPOINT", &hub.url()).variable("HF_TOKEN", "hf_secret_writer");
    let ran = verify(&reader, &["acme/demo@v1"]);
    assert_eq!((ran.status, codes(&ran)), (6, vec!["trust/dependency".to_owned()]), "{ran}");
    assert!(ran.stdout.contains("cannot be had"), "{ran}");
    let unsigned = crate::upload::project(&crate::upload::hub(), "writer", "one")
        .variable("HF_ENDPOINT", &hub.url())
        .variable("HF_TOKEN", "hf_secret_writer");
    assert_eq!(unsigned.run(&["upload", "--repo-id", "acme/dep"]).status, 0);
    let ran = verify(&reader, &["acme/demo@v1"]);
    assert!(ran.status == 6 && ran.stdout.contains("trust/unsigned"), "{ran}");
    // What is there of it in a directory alone is not looked at without the network, and that is said.
    let ran = verify(&publish(&services, &hub, "acme/demo", &["acme/dep"]), &["--offline"]);
    assert_eq!((ran.status, codes(&ran)), (0, vec!["trust/dependency".to_owned()]), "{ran}");
    assert!(ran.stdout.contains("run the same command without `--offline`"), "{ran}");
}

#[test]
fn a_name_that_could_be_taken_for_another_is_refused() {
    let (services, hub) = (Sigstore::start().expect("services"), hub());
    publish(&services, &hub, "kernels-comunity/relu", &[]);
    publish(&services, &hub, "acme/demo", &["kernels-comunity/relu"]);
    let reader = job(&services).variable("HF_ENDPOINT", &hub.url());
    let refused = |scene: &Scene, name: &str| {
        let ran = verify(scene, &[name]);
        (ran.status, codes(&ran).join(" "))
    };
    assert_eq!(refused(&reader, "kernels-comunity/relu@v1"), (6, "trust/look-alike".to_owned()));
    let ran = verify(&reader, &["acme/demo@v1"]);
    assert!(ran.status == 6 && ran.stdout.contains("trust/look-alike"), "{ran}");
    // Who means it says so.
    let meant = |names: &str| {
        job(&services)
            .variable("HF_ENDPOINT", &hub.url())
            .file("policy.toml", &format!("{POLICY}publishes = [{names}]\n"))
    };
    assert_eq!(refused(&meant("\"kernels-comunity/*\""), "kernels-comunity/relu@v1"), (0, String::new()));
    assert_eq!(
        refused(&meant("\"acme/demo\""), "kernels-comunity/relu@v1").1,
        "trust/look-alike trust/place"
    );
    assert_eq!(refused(&meant("\"kernels-comunity/other\""), "kernels-comunity/relu@v1").1, "trust/place");
    // Publishers become known when something of theirs was verified.
    let signed_as = |repository: &str| {
        let ran = reader.run(&["sign", "--trust-config", "trust.json", "--repo-id", repository]);
        assert_eq!(ran.status, 0, "{ran}");
        let ran = verify(&reader, &["--repo-id", repository]);
        (ran.status, codes(&ran).join(" "))
    };
    assert_eq!(signed_as("publisher-one/demo"), (0, String::new()));
    assert_eq!(signed_as("publisher-0ne/demo"), (6, "trust/look-alike".to_owned()));
    assert_eq!(signed_as("publisher-one/demo"), (0, String::new()));
}
