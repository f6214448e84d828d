//! The result as a table for pull requests and cards.

use std::fmt::Write;

use super::document::{Document, WorkloadResult};
use super::words::{self, hidden};

/// First line of every table: whoever posts it finds its earlier one by it and replaces that.
pub const MARKER: &str = "<!-- kernel-builder bench -->";

/// A table for pull requests and cards.
pub fn markdown(document: &Document) -> String {
    let mut text = format!("{MARKER}\n**{}**", document.suite.verdict.word());
    if let Some(speedup) = &document.suite.speedup {
        let _ = write!(text, ": {} ({})", words::ratio(speedup.ratio), words::interval(speedup));
    }
    let _ = writeln!(
        text,
        " · {} `{}` against {} on {}\n",
        cell(&document.subject.name),
        code(&document.subject.variant),
        cell(&document.baseline.kind),
        cell(&document.machine.name)
    );
    text.push_str("| workload | baseline | kernel | speed-up | interval | memory | roof | verdict |\n");
    text.push_str("|---|---:|---:|---:|---:|---:|---:|---|\n");
    for workload in &document.workloads {
        let _ = writeln!(text, "| {} |", row(workload).join(" | "));
    }
    text.push('\n');
    for reason in &document.suite.reasons {
        let _ = writeln!(text, "- {}", cell(reason));
    }
    for warning in &document.warnings {
        let _ = writeln!(text, "- warning: {}", cell(warning));
    }
    let _ = writeln!(text, "\n{}", footnote(document));
    text
}

fn row(result: &WorkloadResult) -> [String; 8] {
    let verdict = &result.verdict;
    let dash = || "–".to_owned();
    let time = |of: fn(&crate::decision::Times) -> f64| {
        verdict.times.as_ref().map_or_else(dash, |times| words::time(of(times)))
    };
    let remark = words::remark(verdict);
    let word = words::outcome(verdict);
    [
        format!("`{}`", code(&verdict.workload)),
        time(|times| times.baseline.median),
        time(|times| times.candidate.median),
        verdict.effect.as_ref().map_or_else(dash, |effect| words::ratio(effect.ratio)),
        verdict.effect.as_ref().map_or_else(dash, words::interval),
        verdict.memory.as_ref().map_or_else(dash, words::memory),
        result.roofline.map_or_else(dash, |roofline| words::percent(roofline.share.candidate)),
        if remark.is_empty() { word.to_owned() } else { format!("{word} ({})", cell(&remark)) },
    ]
}

fn footnote(document: &Document) -> String {
    let looks: Vec<String> = document.looks.iter().map(|look| look.processes.to_string()).collect();
    let processes = if looks.is_empty() {
        String::new()
    } else {
        format!(", looks after {} processes", looks.join(", "))
    };
    format!(
        "Intervals hold together with {}; margin {}{processes}. Repeat with `{}`.",
        words::percent(1.0 - document.settings.alpha),
        words::percent(document.settings.margin),
        code(&document.run.command)
    )
}

/// Text that stays text in a cell: neither markup nor HTML nor the end of the cell.
fn cell(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\\' | '|' | '*' | '_' | '[' | ']' | '~' | '@' | '#' | '!' => {
                safe.push('\\');
                safe.push(character);
            }
            // A single backtick would make text of the next code span, whatever is in it.
            '`' => safe.push('\''),
            character if hidden(character) => safe.push(' '),
            character => safe.push(character),
        }
    }
    safe
}

/// Text inside a code span of a cell.
fn code(text: &str) -> String {
    let plain = |character: char| if character == '`' || hidden(character) { '\'' } else { character };
    text.chars().map(plain).collect::<String>().replace('|', "\\|")
}
