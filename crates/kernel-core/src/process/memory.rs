//! Telling an out-of-memory kill from an ordinary failure. The kernel counts its kills per control group; where that
//! count cannot be read, a compiler driver's words about a killed child are the next best witness.

use camino::Utf8PathBuf;

/// How many processes of this control group the kernel has ended for lack of memory, where it says.
pub(super) fn kills() -> Option<u64> {
    let groups = fs_err::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let events = Utf8PathBuf::from("/sys/fs/cgroup").join(path).join("memory.events");
    let text = fs_err::read_to_string(events).ok()?;
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")).and_then(|count| count.trim().parse().ok())
}

/// Whether a line of a compiler driver, a shell or Ninja says that a process was ended by SIGKILL, which on a machine
/// where nobody kills by hand means that memory ran out.
pub fn tells_of_a_kill(line: &str) -> bool {
    let line = line.trim_end();
    line.contains("Killed signal terminated program")
        || line.ends_with(": Killed")
        || line == "Killed"
        || line.contains("unable to execute command: Killed")
        || line.contains("died due to signal 9")
        || line.contains("virtual memory exhausted")
        || line.contains("cc1plus: out of memory allocating")
}
