//! `collect`: the variants of many jobs become one set for one upload, or nothing is written.

use crate::scene::Scene;
use crate::trust::{signed, verify};
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

/// The code of the last line, and all of it.
fn told(scene: &Scene, arguments: &[&str]) -> (i32, String) {
    let ran = scene.run(&[&["collect"], arguments, &["--json"]].concat());
    (ran.status, ran.json().pop().expect("a line").to_string())
}

#[test]
fn benchmarks_that_differ_between_jobs_are_refused() {
    let scene = Scene::new();
    job(&scene, "one", "torch-cpu", "one", AS_IT_IS);
    job(&scene, "two", "torch-universal", "two", AS_IT_IS);
    let scene = scene.file("one/benchmarks/benchmark.py", "A\n").file("two/benchmarks/benchmark.py", "B\n");
    for order in [["one", "two"], ["two", "one"]] {
        let (status, text) = told(&scene, &[order[0], order[1], "--out", "set"]);
        assert!(status == 6 && text.contains("collect/twice"), "{text}");
        assert!(
            text.contains(&format!("`benchmarks/benchmark.py` is in `{}`, `{}`", order[0], order[1])),
            "{text}"
        );
        assert!(!scene.path("set").exists());
    }
    let scene =
        scene.file("two/benchmarks/benchmark.py", "A\n").file("two/benchmarks/benchmark_more.py", "C\n");
    assert_eq!(told(&scene, &["one", "two", "--out", "set"]).0, 0);
    for name in ["benchmark.py", "benchmark_more.py"] {
        assert!(scene.path(&format!("set/benchmarks/{name}")).is_file(), "{name}");
    }
}

#[test]
fn results_of_every_job_go_along_or_are_refused() {
    let scene = Scene::new();
    for folder in ["built", "tested", "measured"] {
        job(&scene, folder, "torch-cpu", "one", AS_IT_IS);
    }
    let (tests, bench) = (".kernel-builder/tests/torch-cpu.json", ".kernel-builder/bench/torch-cpu.json");
    let scene = scene.file(&format!("tested/{tests}"), "A\n").file(&format!("measured/{bench}"), "B\n");
    assert_eq!(told(&scene, &["built", "tested", "measured", "--out", "set"]).0, 0);
    for (file, content) in [(tests, "A\n"), (bench, "B\n")] {
        let kept = fs_err::read_to_string(scene.path(&format!("set/{file}")));
        assert_eq!(kept.expect("the result"), content, "{file}");
    }
    let scene = scene.file(&format!("measured/{tests}"), "C\n");
    for order in [["tested", "measured"], ["measured", "tested"]] {
        let (status, text) = told(&scene, &[order[0], order[1], "--out", "other"]);
        assert!(status == 6 && text.contains("collect/twice"), "{text}");
        assert!(text.contains(&format!("`{tests}` is in `{}`, `{}`", order[0], order[1])), "{text}");
        assert!(!scene.path("other").exists());
    }
}

/// The statement about a set goes where its variants go: without it no signature of theirs is accepted.
#[test]
fn what_was_signed_is_still_verified_in_the_set() {
    let services = hub_testkit::sigstore::Sigstore::start().expect("services");
    let scene = signed(&services);
    let ran = scene.run(&["collect", ".", "--out", "../set"]);
    assert_eq!(ran.status, 0, "{ran}");
    let ran = verify(&scene, &["../set", "--repo-id", "acme/demo"]);
    assert_eq!(ran.status, 0, "{ran}");
}

#[test]
fn cards_that_differ_between_jobs_are_left_out_and_told() {
    let scene = Scene::new();
    job(&scene, "one", "torch-cpu", "one", AS_IT_IS);
    job(&scene, "two", "torch-universal", "two", AS_IT_IS);
    let scene = scene.file("two/build/CARD.md", "# another\n");
    let (status, text) = told(&scene, &["one", "two", "--out", "set"]);
    assert!(status == 0 && text.contains("collect/cards"), "{text}");
    assert!(text.contains("the cards in `one`, `two` differ"), "{text}");
    assert!(!scene.path("set/build/CARD.md").exists() && scene.path("set/build/torch-universal").is_dir());
}

#[test]
fn a_set_inside_of_what_is_joined_is_refused() {
    let scene = Scene::new();
    job(&scene, "one", "torch-cpu", "one", AS_IT_IS);
    job(&scene, "two", "torch-universal", "two", AS_IT_IS);
    for out in [
        "one/build/torch-set",
        "one/build/torch-cpu/set",
        "two/../one/build/new/set",
        "two/build/torch-universal/set",
    ] {
        let (status, text) = told(&scene, &["one", "--out", out]);
        assert!(status == 2 && text.contains("collect/out") && text.contains("is inside"), "{out}: {text}");
        assert!(!scene.path(out).exists(), "{out}");
    }
    for out in ["new/set", "one/set"] {
        assert_eq!(told(&scene, &["one", "--out", out]).0, 0, "{out}");
    }
}

#[test]
fn what_is_named_like_a_set_on_its_way_stays() {
    let scene = Scene::new().file(".collecting-mine/precious", "mine\n");
    job(&scene, "one", "torch-cpu", "one", AS_IT_IS);
    assert_eq!(scene.run(&["collect", "one", "--out", "set"]).status, 0);
    assert!(scene.path(".collecting-mine/precious").is_file() && scene.path("set/build/torch-cpu").is_dir());
    assert_eq!(fs_err::read_dir(scene.path("")).expect("a folder").count(), 3, "nothing else is left");
}
