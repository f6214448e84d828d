//! Signs that a kernel looks faster than it is. One sign in one process may be the machine's doing, so what rests on
//! time has to be seen again before it counts.

use std::collections::BTreeSet;

use kernel_bench::measurement::{Fault, FaultKind};

/// A call that takes less than this share of what this process's own clock says is not believed.
const BELIEVED: f64 = 0.6;
/// A baseline that takes more than this where the kernel is loaded was slowed down…
const SLOWED: f64 = 1.3;
/// …and by more than these nanoseconds: in turns with another call, caches and predictors are colder than alone, which
/// costs a call of 2 µs more than half of its time.
const COLD: f64 = 5_000.0;
/// Processes in which the clocks must disagree.
const CONFIRMED: usize = 3;

/// What was seen of one workload.
#[derive(Clone, Debug, Default)]
pub(super) struct Suspicion {
    disagreeing: usize,
    /// Whether the clocks agreed once, which a forged clock never does.
    agreed: bool,
    /// The check that struck.
    struck: Option<&'static str>,
}

/// The checks that can strike, by the names they have in the document. The first says whether the reference ran elsewhere.
pub const REFERENCE_APART: &str = "A1 reference in another process";
pub(super) const FRESH_INPUTS: &str = "A2 fresh inputs at the same addresses";
pub(super) const TIMED_OUTPUTS: &str = "A3 timed outputs judged";
pub(super) const CLOCKS: &str = "A4 clock of another process";
pub(super) const UNTOUCHED: &str = "A6 functions and switches untouched";
pub(super) const THREADS: &str = "A7 no thread left behind";
pub(super) const TYPES: &str = "A8 plain tensors";
pub(super) const CHANNEL: &str = "A10 nobody else on the channel";
pub(super) const ALONE: &str = "A11 baseline as fast as alone";

impl Suspicion {
    /// Names the check that struck, unless an earlier one did.
    pub(super) fn strike(&mut self, check: &'static str) {
        self.struck.get_or_insert(check);
    }

    /// The check that struck.
    pub(super) fn struck(&self) -> Option<&'static str> {
        self.struck
    }

    /// Whether the clocks were compared and agreed.
    pub(super) fn clocks_agreed(&self) -> bool {
        self.agreed
    }

    /// Whether this process's clock should be held against the child's once more.
    pub(super) fn wants_the_clock(&self) -> bool {
        !self.agreed && self.disagreeing < CONFIRMED
    }

    /// Takes the time of a call by both clocks, in nanoseconds.
    pub(super) fn clocks(&mut self, reported: f64, outside: f64) -> Option<Fault> {
        if reported >= BELIEVED * outside {
            self.agreed = true;
            return None;
        }
        self.disagreeing += 1;
        (self.disagreeing >= CONFIRMED).then(|| {
            suspect(format!(
                "it reports {:.1} µs for a call that takes {:.1} µs by the clock of another process",
                reported / 1e3,
                outside / 1e3
            ))
        })
    }
}

/// What the kernel changed in its process that the script by itself does not.
pub(super) fn changes(changed: &[String], excused: &[String]) -> Option<Fault> {
    let name = |change: &String| change.split(':').next().unwrap_or_default().to_owned();
    let excused: BTreeSet<String> = excused.iter().map(name).collect();
    let own: Vec<&str> =
        changed.iter().filter(|change| !excused.contains(&name(change))).map(String::as_str).collect();
    (!own.is_empty()).then(|| {
        suspect(format!("loading or calling it replaced what the measurement rests on: {}", own.join(", ")))
    })
}

/// Whether the baseline is slower where the kernel is loaded: its best time there, and the slowest of its best times
/// alone, in nanoseconds.
pub(super) fn slowed(paired: f64, alone: f64) -> Option<Fault> {
    (alone.is_finite() && paired.is_finite() && paired > SLOWED * alone + COLD).then(|| {
        suspect(format!(
            "the baseline takes {:.1} µs where the kernel is loaded, and {:.1} µs alone",
            paired / 1e3,
            alone / 1e3
        ))
    })
}

fn suspect(reason: String) -> Fault {
    Fault { kind: FaultKind::Suspect, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_disagree_once_are_the_machines_doing() {
        let mut suspicion = Suspicion::default();
        assert_eq!(suspicion.clocks(1000.0, 11_000.0), None);
        assert!(suspicion.wants_the_clock());
        assert_eq!(suspicion.clocks(1000.0, 1100.0), None);
        assert!(!suspicion.wants_the_clock());

        let mut suspicion = Suspicion::default();
        let seen: Vec<bool> = (0..3).map(|_| suspicion.clocks(1000.0, 11_000.0).is_some()).collect();
        assert_eq!(seen, [false, false, true]);
    }

    #[test]
    fn what_the_script_changes_itself_is_excused() {
        let changed = ["torch.get_num_threads: 2 -> 1".to_owned(), "torch.allclose".to_owned()];
        assert!(changes(&changed, &["torch.get_num_threads: 2 -> 4".to_owned()]).is_some());
        assert!(changes(&changed, &changed).is_none());
    }

    #[test]
    fn a_slowed_baseline_is_told_from_a_busy_machine() {
        let microseconds = |paired: f64, alone: f64| slowed(paired * 1e3, alone * 1e3).is_some();
        assert!(microseconds(40.0, 20.0) && microseconds(1400.0, 1000.0));
        // Seen with honest kernels on a busy machine.
        assert!(!microseconds(68.7, 52.5) && !microseconds(3.7, 2.3));
        assert!(!microseconds(1200.0, 1000.0));
    }
}
