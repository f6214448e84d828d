//! Numbers as people read them, the same in every form.

use crate::decision::{Effect, Memory, MemoryOutcome, Outcome, Verdict};
use crate::measurement::FaultKind;

/// `1.72×`.
pub(super) fn ratio(ratio: f64) -> String {
    if ratio >= 100.0 { format!("{ratio:.0}×") } else { format!("{ratio:.2}×") }
}

/// `1.71 – 1.73`, with the digits that tell the ends apart.
pub(super) fn interval(effect: &Effect) -> String {
    let width = effect.high - effect.low;
    let digits = if width < 0.005 {
        4
    } else if width < 0.05 {
        3
    } else {
        2
    };
    format!("{:.digits$} – {:.digits$}", effect.low, effect.high)
}

/// `2.21 ms`.
pub(super) fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        time if time < 1e3 => (time, "ns"),
        time if time < 1e6 => (time / 1e3, "µs"),
        time if time < 1e9 => (time / 1e6, "ms"),
        time => (time / 1e9, "s"),
    };
    format!("{} {unit}", three(value))
}

/// Three digits that count.
pub(super) fn three(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size > 0.0 && size < 0.1 => format!("{value:.4}"),
        _ => format!("{value:.2}"),
    }
}

/// `33 %`.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent.abs() < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// `12.3 MiB`.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(super) fn bytes(bytes: u64) -> String {
    let (mut value, mut unit) = (bytes as f64, "B");
    for larger in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, larger);
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{} {unit}", three(value)) }
}

/// `−33 %`, `=`, `?`.
pub(super) fn memory(memory: &Memory) -> String {
    match (memory.outcome, memory.ratio) {
        (MemoryOutcome::Same, _) => "=".to_owned(),
        (MemoryOutcome::Inconclusive, _) => "?".to_owned(),
        (_, Some(ratio)) => format!("{:+.0} %", 100.0 * (ratio - 1.0)).replace('-', "−"),
        (_, None) => format!("+{}", bytes(memory.peak.candidate)),
    }
}

/// The verdict in a word; a fault says which.
pub(super) fn outcome(verdict: &Verdict) -> &'static str {
    match verdict.fault.as_ref().map(|fault| fault.kind) {
        Some(FaultKind::Error) => "error",
        Some(kind) => kind.word(),
        None => verdict.outcome.word(),
    }
}

/// The look of the verdict: what this machine does not support is no failure.
pub(super) fn class(verdict: &Verdict) -> &'static str {
    match verdict.fault.as_ref().map(|fault| fault.kind) {
        Some(FaultKind::Unsupported) => "absent",
        _ => verdict.outcome.word(),
    }
}

/// A text whose backticks mark code, as pieces: plain, code, plain and so on.
pub(super) fn pieces(text: &str) -> Vec<String> {
    text.split('`').map(str::to_owned).collect()
}

/// What there is to say beside the verdict.
pub(super) fn remark(verdict: &Verdict) -> String {
    if let Some(fault) = &verdict.fault {
        return fault.reason.clone();
    }
    let mut parts = Vec::new();
    if let Some(unstable) = verdict.instability {
        parts.push(format!(
            "{}: {}, {} allowed",
            unstable.kind.words(),
            percent(unstable.found),
            percent(unstable.allowed)
        ));
    }
    if verdict.outcome == Outcome::Inconclusive {
        if let Some(detectable) = verdict.detectable {
            parts.push(format!("would have seen {}", percent(detectable.effect)));
            parts.extend(detectable.processes_needed.map(|count| format!("{count} processes would do")));
        }
        let causes = verdict.noise.iter().flat_map(|noise| &noise.causes);
        parts.extend(causes.map(|cause| format!("{}: {}", cause.kind.name(), cause.evidence)));
    }
    parts.join("; ")
}

/// Control characters, and those that turn the direction of what follows: no text of a report.
pub(super) fn hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}
