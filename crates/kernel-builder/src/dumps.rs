//! Crashes: a dump of this process's memory would hold every credential that it was given, in its environment or from a file.

/// Keeps the system from writing the memory of this process into a file when it crashes, and other processes of the user from
/// reading it. It holds for this process alone: the programs that it starts are as they would be without it
/// (`PR_SET_DUMPABLE` of prctl(2) ends with execve(2)), and so may be debugged.
pub(crate) fn forbid() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // Only an older system than any that Rust supports refuses it; a program that does not run helps nobody there.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
