//! Everything can fail at any time, the program can be killed, and others upload at once: the branch ends as it should,
//! each change is made once, and nobody ever sees metadata that do not speak of the files beside them.

use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::*;

/// One upload, killed after a while if it still runs.
fn start(scene: &Scene) -> Child {
    use std::process::Stdio;
    scene.command(&["upload", "-q"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

fn files(random: &mut fastrand::Rng, marker: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = sample(marker);
    for number in 0..random.usize(0..12) {
        let text = format!("# {marker}\nNUMBER = {}\n", random.u8(0..2));
        files.insert(format!("part{number}.py"), text.into_bytes());
    }
    files
}

/// Uploads until it succeeds, with kills in between; gives up after many attempts.
fn insist(scene: &Scene, random: &mut fastrand::Rng, kills: u32) {
    for _ in 0..kills {
        let mut child = start(scene);
        std::thread::sleep(Duration::from_millis(random.u64(0..400)));
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().expect("it ended");
    }
    let ran = (0..5).map(|_| scene.run(&["upload", "--json"])).find(|ran| ran.status == 0);
    assert!(ran.is_some(), "five uploads in a row failed: {}", scene.run(&["upload"]));
}

fn one_run(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let limits = Limits {
        page: random.usize(3..40),
        commit: random.u64(2_000..60_000),
        multipart: random.u64(1_000..4_000),
        part: random.u64(300..1_500),
        ..Limits::default()
    };
    let hub = hub_with(limits);
    let first =
        sealed(variant(manifest(scene(&hub, "writer"), 1), "torch-cpu", 1, &files(&mut random, "first")));
    let second =
        variant(manifest(scene(&hub, "writer"), 1), "torch-universal", 1, &files(&mut random, "second"));
    let second = sealed(second);
    hub.faults().by_chance(seed, 0.12);
    let kills = random.u32(0..3);
    // Two uploaders at once, on a new branch or, in half of the runs, on one that is there.
    if random.bool() {
        insist(&first, &mut random, 0);
    }
    std::thread::scope(|scope| {
        let (second, mut other) = (&second, random.fork());
        scope.spawn(move || insist(second, &mut other, kills));
        insist(&first, &mut random, kills);
    });
    // A change of what is there.
    let first = sealed(variant(first, "torch-cpu", 1, &files(&mut random, "changed")));
    insist(&first, &mut random, kills);
    hub.faults().by_chance(0, 0.0);
    let mut expected = local(&first);
    expected.extend(local(&second));
    let history = hub.history(REPOSITORY, "v1");
    assert_eq!(contents(&hub, &history[0]), expected, "seed {seed}");
    assert_honest(&hub, "v1");
    // No commit without a change: each state differs from the one before.
    for pair in history.windows(2) {
        assert_ne!(pair[0].files, pair[1].files, "seed {seed}: a commit that changes nothing");
    }
    let ran = first.run(&["upload", "--json"]);
    assert_eq!(report(&ran)["commits"], 0, "seed {seed}: {ran}");
}

/// Some at a time: most of their time they wait.
fn runs(seeds: std::ops::Range<u64>) {
    let next = AtomicU64::new(seeds.start);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some(seed) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed < seeds.end)
                {
                    one_run(seed);
                }
            });
        }
    });
}

#[test]
fn twelve_runs_of_everything_that_can_go_wrong() {
    runs(0..12);
}

#[test]
#[ignore = "long: 500 uploads that are broken off, killed and repeated, ten minutes"]
fn five_hundred_runs_of_everything_that_can_go_wrong() {
    runs(1000..1500);
}
