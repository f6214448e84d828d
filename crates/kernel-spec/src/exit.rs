//! Exit codes are part of the interface: scripts and agents branch on them, so each has one meaning for ever.

use schemars::JsonSchema;
use serde::Serialize;

/// Why the program ended; the number is the process's exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum ExitClass {
    /// Everything asked for was done.
    Success = 0,
    /// A fault of kernel-builder itself.
    Internal = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The manifest, or what was selected from it, is wrong.
    Manifest = 3,
    /// A tool, dependency or device is missing on this machine.
    Environment = 4,
    /// A compiler or linker failed.
    Build = 5,
    /// An artifact, a signature or a preflight check was refused.
    Check = 6,
    /// Tests failed or results are wrong.
    Test = 7,
    /// The Hub or the network failed.
    Hub = 8,
    /// A benchmark is slower or not improved, as `--fail-on` asked.
    Slower = 9,
    /// Nothing was verified.
    NothingVerified = 10,
    /// A result looks manipulated.
    Suspect = 11,
    /// Two results cannot be compared.
    Incomparable = 12,
    /// A benchmark could not decide.
    Inconclusive = 13,
    /// A child process crashed or ran out of time.
    Child = 14,
    /// A file or directory that was named is missing or could not be read.
    Unreadable = 15,
    /// The user interrupted the program.
    Interrupted = 130,
}

impl ExitClass {
    /// Every class, in numeric order.
    pub const ALL: &[ExitClass] = &[
        ExitClass::Success,
        ExitClass::Internal,
        ExitClass::Usage,
        ExitClass::Manifest,
        ExitClass::Environment,
        ExitClass::Build,
        ExitClass::Check,
        ExitClass::Test,
        ExitClass::Hub,
        ExitClass::Slower,
        ExitClass::NothingVerified,
        ExitClass::Suspect,
        ExitClass::Incomparable,
        ExitClass::Inconclusive,
        ExitClass::Child,
        ExitClass::Unreadable,
        ExitClass::Interrupted,
    ];

    /// The process exit status.
    pub fn status(self) -> u8 {
        self as u8
    }
}
