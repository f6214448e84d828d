//! Which findings a report has room for, first things first, and which of their words are not ours.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use kernel_spec::Finding;
use kernel_spec::report::bench::VariantBench;
use kernel_spec::report::validate::{RankedFinding, Step};

/// Findings in a report.
const MOST: usize = 20;

/// Findings of one code before those of others come first.
const OF_ONE_CODE: usize = 5;

/// Characters of a cause that are repeated.
const CAUSE: usize = 2000;

/// The findings that matter most, and how many there are beyond them: errors before warnings before notes, and no code
/// may hide another by its number.
pub(super) fn rank(found: Vec<(Step, Finding)>) -> (Vec<RankedFinding>, usize) {
    let mut of_code: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ranked: Vec<((Reverse<_>, usize), RankedFinding)> = Vec::new();
    for (step, finding) in found {
        if ranked.iter().any(|(_, known)| known.finding == finding) {
            continue;
        }
        let count = of_code.entry(finding.code.id).or_default();
        let rank = (Reverse(finding.severity), *count / OF_ONE_CODE);
        *count += 1;
        ranked.push((rank, RankedFinding { step, untrusted: untrusted(&finding), finding }));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    let left_out = ranked.len().saturating_sub(MOST);
    let findings = ranked.into_iter().take(MOST).map(|(_, finding)| shorten(finding)).collect();
    (findings, left_out)
}

/// Fields in which names, sources, tests and compilers speak.
fn untrusted(finding: &Finding) -> Vec<&'static str> {
    let fields = [
        ("message", finding.message.contains('`')),
        ("causes", !finding.causes.is_empty()),
        ("span", finding.span.is_some()),
        ("related", !finding.related.is_empty()),
        ("subject", finding.subject != kernel_spec::finding::Subject::default()),
        ("fix", finding.fix.is_some()),
    ];
    fields.into_iter().filter(|(_, foreign)| *foreign).map(|(field, _)| field).collect()
}

fn shorten(mut ranked: RankedFinding) -> RankedFinding {
    for cause in &mut ranked.finding.causes {
        if let Some((at, _)) = cause.char_indices().nth(CAUSE) {
            let more = cause[at..].chars().count();
            cause.truncate(at);
            *cause = format!("{cause} … ({more} characters more in the log)");
        }
    }
    ranked
}

/// One verdict for all variants: the worst.
pub(super) fn worst_verdict(variants: &[VariantBench]) -> String {
    const WORST_FIRST: [&str; 5] = ["INVALID", "REGRESSED", "INCONCLUSIVE", "UNCHANGED", "IMPROVED"];
    let is_there = |verdict: &&str| variants.iter().any(|variant| variant.verdict == *verdict);
    WORST_FIRST.into_iter().find(is_there).unwrap_or("INVALID").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_spec::code;

    #[test]
    fn errors_come_first_and_no_code_hides_another() {
        let mut found: Vec<(Step, Finding)> =
            (0..30).map(|at| (Step::Test, Finding::error(&code::test::FAILED, format!("`{at}`")))).collect();
        found.push((Step::Test, Finding::error(&code::test::FAILED, "`0`")));
        found.insert(0, (Step::Check, Finding::note(&code::python::NO_ALL, "a note")));
        found.push((Step::Bench, Finding::error(&code::bench::SLOWER, "slower")));
        let (ranked, left_out) = rank(found);
        assert_eq!((ranked.len(), left_out), (20, 12));
        assert_eq!(ranked[5].finding.code.id, "bench/slower");
        assert!(ranked.iter().all(|one| one.finding.message != "a note"));
        assert_eq!((&ranked[0].untrusted[..], &ranked[5].untrusted[..]), (&["message"][..], &[][..]));
    }

    #[test]
    fn a_long_cause_is_cut_at_a_character() {
        let finding = Finding::error(&code::test::FAILED, "x").cause("ä".repeat(CAUSE + 7));
        let (ranked, _) = rank(vec![(Step::Test, finding)]);
        assert!(ranked[0].finding.causes[0].ends_with("ä … (7 characters more in the log)"));
    }
}
