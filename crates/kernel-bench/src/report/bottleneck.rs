//! Why a kernel is not faster, as far as its times under the measured roof tell.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words;
use crate::decision::{Bound, Ceilings, Roofline};

/// Calls shorter than this many of the shortest consist of what every call costs.
const SHORT: f64 = 3.0;
/// The same where so few bytes are moved that the smallest copy moves more.
const SHORT_OF_FEW_BYTES: f64 = 10.0;
/// From this share of the roof on, the roof is what limits.
const NEAR: f64 = 0.5;

/// What limits a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bottleneck {
    /// Its kind.
    pub kind: BottleneckKind,
    /// What was measured that says so, and what would help.
    pub evidence: String,
}

/// Kinds of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BottleneckKind {
    /// What every call costs, whatever it does.
    Call,
    /// Moving bytes.
    Memory,
    /// Computing.
    Compute,
    /// Neither: the kernel itself.
    Kernel,
}

impl BottleneckKind {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Memory => "memory",
            Self::Compute => "compute",
            Self::Kernel => "kernel",
        }
    }
}

impl Bottleneck {
    /// Of a kernel whose call takes these nanoseconds; nothing where too little is known.
    pub fn of(nanoseconds: f64, roofline: Option<&Roofline>, ceilings: &Ceilings) -> Option<Self> {
        let call = ceilings.call_ns;
        let short = if roofline.is_some() { SHORT } else { SHORT_OF_FEW_BYTES };
        if call > 0.0 && nanoseconds < short * call {
            let (taken, least) = (words::time(nanoseconds), words::time(call));
            let evidence = format!(
                "a call takes {taken}, and the shortest call of the framework {least}: most of it is the cost of a call; do \
                 more in one"
            );
            return Some(Self { kind: BottleneckKind::Call, evidence });
        }
        let roofline = roofline?;
        let share = words::percent(roofline.share.candidate);
        let (kind, speed, remedy) = match roofline.bound {
            Bound::Memory => (BottleneckKind::Memory, "copies memory", "move fewer bytes"),
            Bound::Compute => {
                (BottleneckKind::Compute, "multiplies matrices", "compute less, or in a shorter type")
            }
        };
        if roofline.share.candidate >= NEAR {
            let evidence = format!("it reaches {share} of the speed at which this machine {speed}: {remedy}");
            return Some(Self { kind, evidence });
        }
        let unknown = if roofline.intensity.is_none() { "; its arithmetic is not declared" } else { "" };
        let evidence = format!(
            "it reaches {share} of the speed at which this machine {speed}, so the roof is not what limits it{unknown}"
        );
        Some(Self { kind: BottleneckKind::Kernel, evidence })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Arms, Work};

    #[test]
    fn what_limits_follows_from_the_roof_over_the_bytes() {
        let ceilings = Ceilings {
            copies: vec![(1e6, 40e9), (1e8, 10e9)],
            products: [("float32".to_owned(), 100e9)].into(),
            call_ns: 1000.0,
        };
        let kind = |bytes: f64, flop: Option<f64>, nanoseconds: f64| {
            let work = Work { bytes: Some(bytes), flop };
            let roof = ceilings.roof(work, Some("float32"));
            let roofline = Roofline::of(work, &roof, Arms { baseline: nanoseconds, candidate: nanoseconds });
            Bottleneck::of(nanoseconds, roofline.as_ref(), &ceilings).map(|found| found.kind)
        };
        // 2 MB at 40 GB/s take 50 µs, 200 MB at 10 GB/s 20 ms.
        assert_eq!(kind(2e6, None, 60e3), Some(BottleneckKind::Memory));
        assert_eq!(kind(2e8, None, 25e6), Some(BottleneckKind::Memory));
        assert_eq!(kind(2e6, None, 500e3), Some(BottleneckKind::Kernel));
        assert_eq!(kind(2e6, Some(2e8), 2.1e6), Some(BottleneckKind::Compute));
        assert_eq!(kind(2e6, None, 2.9e3), Some(BottleneckKind::Call));
        assert_eq!(kind(1e3, None, 9.9e3), Some(BottleneckKind::Call));
        assert_eq!(kind(1e3, None, 10e3), None);
    }
}
