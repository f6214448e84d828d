//! The page: whole without anything from elsewhere, and text stays text.

use kernel_bench::report::{Theme, forest_svg, html, junit, markdown};

use crate::forms::hostile;
use crate::sample::{Simulated, document, every_kind};

/// Attributes and rules by which a page reaches elsewhere, or does something.
const REACHES: [&str; 16] = [
    "http:",
    "https:",
    "//",
    "src=",
    "href=",
    "url(",
    "@import",
    "<script",
    "<iframe",
    "<object",
    "<embed",
    "<link",
    "<form",
    "onload",
    "onerror",
    "javascript:",
];

fn assert_whole(page: &str) {
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for reach in REACHES {
        assert!(!page.contains(reach), "`{reach}` in the page");
    }
}

#[test]
fn the_page_needs_nothing_but_itself() {
    let document = document(&every_kind(), 1);
    let page = html(&document).unwrap();
    assert_whole(&page);
    println!("summary: a page of {} workloads has {} KiB", document.workloads.len(), page.len() / 1024);
    for part in [
        "INVALID",
        "prefers-color-scheme: dark",
        "Roofline",
        "How it was decided",
        "Environment",
        "Repeat it",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // One forest, one roofline, and two plots for each workload that was timed.
    let timed = document.workloads.iter().filter(|one| one.verdict.fault.is_none()).count();
    assert_eq!(page.matches("<svg ").count(), 2 + 2 * timed);
    assert_eq!(html(&document).unwrap(), page);
}

#[test]
fn hostile_names_stay_names_on_the_page() {
    let document = hostile();
    let page = html(&document).unwrap();
    assert!(page.contains("&lt;script&gt;alert(1)&lt;"));
    assert_whole(&page.replace("&#x2f;&#x2f;", ""));
    for theme in [Theme::Light, Theme::Dark] {
        assert_whole(&forest_svg(&document, theme).unwrap());
    }
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
}

/// Tags of the standalone picture close in order; a browser forgives what an image viewer does not.
#[test]
fn the_picture_is_well_formed() {
    let picture = forest_svg(&document(&every_kind(), 1), Theme::Dark).unwrap();
    let mut open = Vec::new();
    for tag in picture.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap());
        }
    }
    assert!(open.is_empty());
    assert!(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
}

#[test]
fn a_run_without_measurements_still_has_a_page() {
    let mut nothing = document(&every_kind()[7..], 1);
    assert!(html(&nothing).unwrap().contains("INVALID"));
    nothing.workloads.clear();
    nothing.looks.clear();
    assert_whole(&html(&nothing).unwrap());
    assert_whole(&html(&document(&[Simulated::default()], 1)).unwrap());
}

/// Everything that a run may not know is left out.
#[test]
fn a_run_that_knows_little_still_has_every_form() {
    let mut little = document(&every_kind(), 1);
    little.run.seed_commitment = None;
    little.run.seed = None;
    little.subject.commit = None;
    little.subject.files.clear();
    little.adoption = None;
    little.suite.speedup = None;
    little.looks.clear();
    little.warnings.clear();
    for workload in &mut little.workloads {
        workload.measurement.processes.truncate(1);
        workload.shape.clear();
        (workload.dtype, workload.timer, workload.cache) = (None, None, None);
        (workload.correctness, workload.implementation) = (None, None);
        (workload.roof, workload.roofline, workload.first_call_ns) = (None, None, None);
        workload.checks.clear();
        let verdict = &mut workload.verdict;
        (verdict.effect, verdict.times, verdict.noise) = (None, None, None);
        (verdict.memory, verdict.detectable, verdict.decided_after) = (None, None, None);
    }
    assert_whole(&html(&little).unwrap());
    assert_whole(&forest_svg(&little, Theme::Light).unwrap());
    assert!(markdown(&little).contains("| – |") && junit(&little).unwrap().contains("<testcase"));
}

/// For the eye: `KERNEL_BENCH_PAGES` names a folder that gets the page and the pictures.
#[test]
fn the_forms_can_be_looked_at() {
    #[expect(clippy::disallowed_methods, reason = "only a person who looks sets it")]
    if let Ok(folder) = std::env::var("KERNEL_BENCH_PAGES") {
        let document = document(&every_kind(), 1);
        fs_err::write(format!("{folder}/report.html"), html(&document).unwrap()).unwrap();
        fs_err::write(format!("{folder}/dark.svg"), forest_svg(&document, Theme::Dark).unwrap()).unwrap();
        fs_err::write(format!("{folder}/light.svg"), forest_svg(&document, Theme::Light).unwrap()).unwrap();
    }
}
