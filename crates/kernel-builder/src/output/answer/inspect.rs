//! Human form of `inspect`: a block of facts for each library.

use kernel_spec::report::{InspectReport, InspectedLibrary};

use crate::output::page::{DIM, Page, TITLE};
use crate::output::problem;

/// More are counted.
const SHOWN: usize = 12;

pub(super) fn render(report: &InspectReport, page: &mut Page) {
    for library in &report.libraries {
        page.add_in(TITLE, &library.file).end();
        page.table(&rows(library));
        page.end();
    }
    for finding in &report.findings {
        problem::add_finding(page, finding);
        page.end();
    }
    if report.libraries.is_empty() && report.findings.is_empty() {
        page.add_in(DIM, "no library here").end();
    }
}

fn rows(library: &InspectedLibrary) -> Vec<[String; 2]> {
    let mut rows = Vec::new();
    let mut add = |name: &str, value: String| {
        if !value.is_empty() {
            rows.push([format!("  {name}"), value]);
        }
    };
    add("variant", library.variant.clone().unwrap_or_default());
    add("format", format!("{} {}, {}", library.format, library.architecture, bytes(library.size)));
    add("name", library.name.clone().unwrap_or_default());
    add("build id", library.build_id.clone().unwrap_or_default());
    add("provenance", provenance(library));
    add("needs", list(&library.needed));
    for (from, versions) in &library.symbol_floors {
        add("versions", format!("{from}: {}", versions.join(", ")));
    }
    add("search paths", list(&library.search_paths));
    let floor =
        library.manylinux.as_deref().map(|floor| format!("{floor} is the oldest that has what it takes"));
    let promised = library.promised.as_ref().map(|promised| format!("promised for {promised}"));
    add("policy", promised.into_iter().chain(floor).collect::<Vec<_>>().join("; "));
    add("macos", library.minimum_macos.clone().unwrap_or_default());
    if let Some(python) = &library.python {
        let outside = list(&python.unlimited);
        let outside =
            if outside.is_empty() { outside } else { format!("; outside the limited API: {outside}") };
        add("python", format!("{} and later{outside}", python.minimum));
    }
    let torch = library.torch_stable_abi.as_deref();
    add(
        "torch",
        torch
            .map(|torch| format!("stable ABI, {torch} and later").replace("base", "first"))
            .unwrap_or_default(),
    );
    for payload in &library.gpu {
        let images =
            if payload.images == 1 { "1 image".to_owned() } else { format!("{} images", payload.images) };
        add("gpu", format!("{} {}, {images}, {}", payload.kind, payload.architecture, bytes(payload.size)));
    }
    add("exports", list(&library.exports));
    for section in library.sections.iter().take(SHOWN) {
        add("section", format!("{} {}", section.name, bytes(section.size)));
    }
    rows
}

fn provenance(library: &InspectedLibrary) -> String {
    let Some(note) = &library.provenance else { return String::new() };
    let state = match note.dirty {
        Some(true) => " (with changes)",
        Some(false) => "",
        None => " (state unknown)",
    };
    let commit = note.commit.as_deref().unwrap_or("no commit");
    let tool = note.tool.as_deref().map(|tool| format!(", kernel-builder {tool}")).unwrap_or_default();
    format!("{commit}{state}{tool}")
}

fn list(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Binary units with one decimal.
fn bytes(size: u64) -> String {
    const UNITS: &[(&str, u64)] = &[("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    UNITS.iter().find(|(_, unit)| size >= *unit).map_or_else(
        || format!("{size} B"),
        |(name, unit)| format!("{}.{} {name}", size / unit, size % unit * 10 / unit),
    )
}
