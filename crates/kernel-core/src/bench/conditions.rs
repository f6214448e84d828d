//! What the machine did while a process ran, as far as the system tells: load, stolen time, waiting for processors.

use kernel_bench::measurement::Conditions;

/// Counters of the system at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moment {
    stolen: Option<f64>,
    total: Option<f64>,
    waited: Option<f64>,
    at: Option<std::time::Instant>,
}

impl Moment {
    /// Now.
    pub(crate) fn now() -> Self {
        let times = processor_times();
        Self {
            stolen: times.as_ref().and_then(|times| times.get(7).copied()),
            total: times.map(|times| times.iter().take(8).sum()),
            waited: waited(),
            at: Some(std::time::Instant::now()),
        }
    }

    /// What happened since then.
    pub(crate) fn since(self) -> Conditions {
        let now = Self::now();
        let share = |part: Option<f64>, whole: Option<f64>| {
            let (part, whole) = (part?, whole?);
            (whole > 0.0).then_some(part / whole)
        };
        let passed = |one: Option<f64>, other: Option<f64>| Some(other? - one?);
        let micros = self.at.map(|at| at.elapsed().as_secs_f64() * 1e6);
        Conditions {
            load: load(),
            processors: std::thread::available_parallelism()
                .ok()
                .and_then(|count| u32::try_from(count.get()).ok()),
            steal: share(passed(self.stolen, now.stolen), passed(self.total, now.total)),
            pressure: share(passed(self.waited, now.waited), micros),
            ..Conditions::default()
        }
    }
}

/// The first line of `/proc/stat` (proc(5)): time of all processors by what they did, the eighth is stolen.
fn processor_times() -> Option<Vec<f64>> {
    let text = fs_err::read_to_string("/proc/stat").ok()?;
    let fields = text.lines().next()?.strip_prefix("cpu ")?;
    Some(fields.split_ascii_whitespace().filter_map(|field| field.parse().ok()).collect())
}

/// Microseconds in which some task waited for a processor.
fn waited() -> Option<f64> {
    let text = fs_err::read_to_string("/proc/pressure/cpu").ok()?;
    text.lines().next()?.split("total=").nth(1)?.trim().parse().ok()
}

/// The average number of runnable tasks over the last minute.
fn load() -> Option<f64> {
    fs_err::read_to_string("/proc/loadavg").ok()?.split_ascii_whitespace().next()?.parse().ok()
}
