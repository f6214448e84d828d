//! `collect`: the variants of many jobs become one set for one upload, or nothing is written.

use crate::scene::Scene;
use crate::upload::{REPOSITORY, contents, hub, manifest, report, sample, scene, sealed, variant};

/// What one job leaves: a variant in a project of its own.
fn job(into: &Scene, folder: &str, name: &str, value: &str, edit: (&str, &str)) {
    let job = variant(manifest(Scene::new(), 1), name, 1, &sample(value));
    let path = format!("build/{name}/metadata.json");
    let text = fs_err::read_to_string(job.path(&path)).expect("metadata").replace(edit.0, edit.1);
    let job = sealed(job.file(&path, &text));
    let job = job.file(".kernel-builder/bench/other.json", "{}").file("build/CARD.md", "# demo\n");
    fs_err::rename(job.path(""), into.path(folder)).expect("moved");
}

const AS_IT_IS: (&str, &str) = ("", "");

#[test]
fn the_variants_of_two_jobs_are_uploaded_as_one() {
    let hub = hub();
    let scene = scene(&hub, "writer");
    job(&scene, "one", "torch-cpu", "one", AS_IT_IS);
    job(&scene, "two", "torch-universal", "two", AS_IT_IS);
    // The same bytes from two jobs are one variant.
    job(&scene, "again", "torch-cpu", "one", AS_IT_IS);
    let ran = scene.run(&["collect", "one", "two", "again", "--out", "set"]);
    insta::assert_snapshot!("joined", ran);
    let ran = scene.run(&["upload", "set", "--repo-id", "acme/demo", "--json"]);
    assert_eq!(report(&ran)["commits"], 2, "the variants, and the card: {ran}");
    let published = contents(&hub, &hub.history(REPOSITORY, "v1")[0]);
    for name in ["torch-cpu", "torch-universal"] {
        assert!(published.contains_key(&format!("build/{name}/metadata.json")), "{:?}", published.keys());
    }
    let ran = scene.run(&["collect", "one", "--out", "set", "--json"]);
    assert_eq!((ran.status, &ran.json()[1]["code"]), (2, &"collect/out".into()), "{ran}");
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let scene = Scene::new();
    job(&scene, "one", "torch-cpu", "one", AS_IT_IS);
    job(&scene, "commit", "torch-universal", "two", ("0123", "ffff"));
    job(&scene, "sources", "torch-universal", "two", ("abcdefghijklm", "zzzzzzzzzzzzz"));
    job(&scene, "tool", "torch-universal", "two", ("0.1.0", "0.0.9"));
    job(&scene, "other", "torch-cpu", "two", AS_IT_IS);
    let changed = scene.path("other/build/torch-cpu/__init__.py");
    let mut told = Vec::new();
    for with in ["commit", "sources", "tool", "other"] {
        let ran = scene.run(&["collect", "one", with]);
        told.push(format!("--- {with}\n{ran}"));
        assert!(ran.status == 6 && !scene.path("collected").exists(), "{ran}");
    }
    fs_err::write(changed, "changed = 1\n").expect("changed");
    told.push(format!("--- changed\n{}", scene.run(&["collect", "other"])));
    told.push(format!("--- nothing\n{}", scene.run(&["collect", "other/.kernel-builder"])));
    insta::assert_snapshot!("refused", told.join("\n"));
    assert_eq!(scene.run(&["collect", "one", "other", "--json"]).json()[1]["code"], "collect/set");
    let left: Vec<_> = fs_err::read_dir(scene.path(""))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left.len(), 5, "{left:?}");
}
