//! What a run measured on: what has to be equal before two runs can be compared, and what explains their differences.

use std::collections::BTreeMap;

use kernel_bench::decision::Comparability;
use kernel_bench::report::Machine;

/// Memory that is left to everybody else, in bytes.
const RESERVE: u64 = 1 << 30;
/// What a child may allocate where the system does not say what there is.
const ORDINARY: u64 = 16 << 30;

/// How far the children were confined.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Confinement {
    pub(super) network_left: bool,
    pub(super) memory_limited: bool,
}

/// This machine, with the software that a child reported.
pub(super) fn describe(
    backend: &str,
    threads: u32,
    versions: Option<&BTreeMap<String, String>>,
    confinement: Confinement,
    control: &str,
) -> Machine {
    let information = read("/proc/cpuinfo");
    let field = |name: &str| {
        let line = information.lines().find(|line| line.starts_with(name))?;
        line.split_once(':').map(|(_, value)| value.trim().to_owned())
    };
    let processor = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let is_virtual = field("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let version = |name: &str| versions.and_then(|versions| versions.get(name)).cloned().unwrap_or_default();
    let minor = |name: &str| version(name).split('.').take(2).collect::<Vec<_>>().join(".");
    let named = |facts: &[(&str, String)]| -> BTreeMap<String, String> {
        facts.iter().map(|(name, fact)| ((*name).to_owned(), fact.clone())).collect()
    };
    let mut environment = named(&[
        ("memory", memory("MemTotal:").unwrap_or_default().to_string()),
        ("system", format!("{} {}", std::env::consts::OS, read("/proc/sys/kernel/osrelease").trim())),
        ("network", if confinement.network_left { "none" } else { "the machine's" }.to_owned()),
        ("memory limit", if confinement.memory_limited { "set" } else { "none" }.to_owned()),
        ("governor", read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").trim().to_owned()),
    ]);
    environment.extend(versions.into_iter().flatten().map(|(name, version)| (name.clone(), version.clone())));
    environment.retain(|_, fact| !fact.is_empty());
    let facts = named(&[
        ("backend", backend.to_owned()),
        ("processor", processor.clone()),
        ("processors", processors.to_string()),
        ("threads", threads.to_string()),
        ("virtual machine", is_virtual.to_string()),
        ("torch", minor("torch")),
        ("python", minor("python")),
        ("references", control.to_owned()),
    ]);
    Machine {
        name: processor,
        backend: backend.to_owned(),
        comparability: Comparability { facts },
        environment,
    }
}

/// Bytes that a child may allocate: what is free now, less a reserve.
pub(super) fn memory_for_a_child() -> u64 {
    memory("MemAvailable:").map_or(ORDINARY, |free| free.saturating_sub(RESERVE).max(RESERVE))
}

/// A line of `/proc/meminfo` (proc(5)), which counts in units of 1024 bytes.
fn memory(name: &str) -> Option<u64> {
    let text = fs_err::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

fn read(path: &str) -> String {
    fs_err::read_to_string(path).unwrap_or_default()
}
