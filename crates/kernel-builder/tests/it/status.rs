//! `status` says how each variant stands, by what is recorded and by what the sources are now.

use crate::build::{VARIANT, build, project};
use crate::scene::Scene;

fn of(scene: &Scene, variant: &str) -> serde_json::Value {
    let report = scene.run(&["status", "--json"]).json().pop().expect("a report");
    let variants = report["variants"].as_array().expect("variants");
    variants.iter().find(|one| one["variant"] == variant).unwrap_or_else(|| panic!("{report:#}")).clone()
}

#[test]
fn each_variant_is_missing_built_stale_changed_or_broken() {
    let scene = project();
    insta::assert_snapshot!("missing", scene.run(&["status"]));
    build(&scene, "", &["--dev"]);
    insta::assert_snapshot!("built", scene.run(&["status"]));
    assert_eq!(of(&scene, VARIANT)["state"], "built");

    let other = VARIANT.replace("01", "99");
    scene.tool("cp", &["-R", &format!("build/{VARIANT}"), &format!("build/{other}")]);
    let copied = of(&scene, &other);
    assert_eq!(
        (&copied["state"], &copied["findings"][0]["code"]),
        (&"broken".into(), &"artifact/name".into())
    );
    scene.tool("rm", &["-r", &format!("build/{other}")]);

    let scene = scene.file("README.md", "# changed\n");
    assert_eq!(of(&scene, VARIANT)["state"], "built", "documents are no sources");
    let scene = scene.file("demo/common.h", "#pragma once\n#define VALUE 7\n");
    assert_eq!(of(&scene, VARIANT)["state"], "stale");

    let scene = scene.file(&format!("build/{VARIANT}/__init__.py"), "changed = True\n");
    assert_eq!(of(&scene, VARIANT)["state"], "changed");
    let scene = scene.file(&format!("build/{VARIANT}/metadata.json.sigstore"), "{}");
    assert_eq!(of(&scene, VARIANT)["signed"], true);
    let scene = scene.file(&format!("build/{VARIANT}/metadata.json"), "{");
    let broken = of(&scene, VARIANT);
    assert_eq!(
        (&broken["state"], &broken["findings"][0]["code"]),
        (&"broken".into(), &"artifact/metadata".into())
    );
    assert!(scene.run(&["status"]).stdout.contains("error[artifact/metadata]"));
}
