//! How many commands run at once. Compilers that read all of torch's headers need more than a gigabyte each, so memory
//! decides before cores do: what the machine has free and what its control groups allow.

use camino::{Utf8Path, Utf8PathBuf};

use crate::engine::Limits;

/// What a compile of much memory is given, in bytes (1.4 GB measured with GCC 12 and all of torch's headers).
const HEAVY: u64 = 1_600 << 20;
/// The same with nvcc (2.9 GB measured with CUDA 13.2).
const HEAVY_CUDA: u64 = 3_000 << 20;
/// What any other command is given, in bytes.
const LIGHT: u64 = 300 << 20;

/// What one compile may need, in bytes.
pub fn heavy_compile(cuda: bool) -> u64 {
    if cuda { HEAVY_CUDA } else { HEAVY }
}

/// The limits: as asked for, else from cores and memory. A compile of CUDA needs more than one of C++.
pub fn limits(jobs: Option<usize>, keep_going: bool, cuda: bool) -> Limits {
    if let Some(jobs) = jobs {
        return Limits { jobs: jobs.max(1), heavy: jobs.max(1), keep_going };
    }
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (jobs, heavy) = share(cores, available_memory(), heavy_compile(cuda));
    Limits { jobs, heavy, keep_going }
}

/// Commands at once, and heavy ones among them.
fn share(cores: usize, memory: Option<u64>, heavy: u64) -> (usize, usize) {
    let fit = |each: u64| memory.map_or(cores, |memory| usize::try_from(memory / each).unwrap_or(cores));
    let jobs = cores.min(fit(LIGHT)).max(1);
    (jobs, jobs.min(fit(heavy)).max(1))
}

/// Memory in bytes that this process may still use, where the system says.
fn available_memory() -> Option<u64> {
    let free = fs_err::read_to_string("/proc/meminfo").ok().and_then(|text| available(&text));
    free.into_iter().chain(control_group()).min()
}

/// `MemAvailable` of proc(5), in bytes.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// The least that this process's control group and those above it leave, by version 2's files.
fn control_group() -> Option<u64> {
    let groups = fs_err::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let root = Utf8Path::new("/sys/fs/cgroup");
    let path: Utf8PathBuf = root.join(own.trim_start_matches('/'));
    path.ancestors().take_while(|group| group.starts_with(root)).filter_map(left_in).min()
}

fn left_in(group: &Utf8Path) -> Option<u64> {
    let number = |name: &str| fs_err::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_decides_before_cores() {
        assert_eq!(share(64, Some(16 << 30), HEAVY), (54, 10));
        assert_eq!(share(4, Some(64 << 30), HEAVY), (4, 4));
        assert_eq!(share(8, Some(1 << 30), HEAVY), (3, 1));
        assert_eq!(share(2, Some(0), HEAVY), (1, 1));
        assert_eq!(share(2, None, HEAVY), (2, 2));
        assert_eq!(share(16, Some(16 << 30), HEAVY_CUDA), (16, 5));
    }

    #[test]
    fn meminfo_is_read() {
        assert_eq!(available("MemTotal: 2 kB\nMemAvailable:    1024 kB\n"), Some(1 << 20));
        assert_eq!(available("MemTotal: 2 kB\n"), None);
    }
}
