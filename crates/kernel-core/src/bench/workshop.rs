//! What every child works with: the interpreter, the variant, the private directory, and its limits.

use std::time::Duration;

use camino::Utf8Path;

use super::Target;
use super::machine;
use super::scratch::Scratch;
use crate::Context;

/// Where children of one variant work.
pub(crate) struct Workshop<'a> {
    pub(crate) context: &'a Context,
    pub(crate) interpreter: &'a Utf8Path,
    pub(crate) project: &'a Utf8Path,
    pub(crate) artifact: &'a Utf8Path,
    pub(crate) scratch: Scratch,
    /// Name of the variant.
    pub(crate) variant: &'a str,
    /// Its backend.
    pub(crate) backend: String,
    /// What torch calls the device.
    pub(crate) device: String,
    /// Bytes that a child may allocate.
    pub(crate) memory: u64,
    /// How long a child may think about a question.
    pub(crate) limit: Duration,
    /// Threads to compute with; the framework decides without it.
    pub(crate) threads: Option<u16>,
    /// The seed of the run.
    pub(crate) seed: u64,
}

impl<'a> Workshop<'a> {
    /// Lays it out; the seed is drawn anew without one.
    pub(crate) fn new(
        context: &'a Context,
        target: Target<'a>,
        limit: Duration,
        threads: Option<u16>,
        seed: Option<u64>,
    ) -> std::io::Result<Self> {
        let backend = target.backend.row().name.to_owned();
        let device = match backend.as_str() {
            "rocm" => "cuda".to_owned(),
            "metal" => "mps".to_owned(),
            "cann" => "npu".to_owned(),
            other => other.to_owned(),
        };
        Ok(Self {
            context,
            interpreter: target.interpreter,
            project: target.project,
            artifact: target.artifact,
            scratch: Scratch::new(target.artifact, target.variant)?,
            variant: target.variant,
            backend,
            device,
            memory: machine::memory_for_a_child(),
            limit,
            threads,
            seed: seed.map_or_else(drawn, Ok)?,
        })
    }
}

/// A seed that nobody can foresee.
pub(crate) fn drawn() -> std::io::Result<u64> {
    use std::io::Read;
    let mut bytes = [0; 8];
    fs_err::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}
