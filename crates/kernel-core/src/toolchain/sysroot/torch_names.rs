//! Which names the releases of Torch export, where none of its libraries is at hand to ask: hashes of them, embedded.

use std::sync::OnceLock;

use kernel_abi::policy::torch;
use kernel_spec::arch::Cpu;
use kernel_spec::{Backend, Version};
use sha2::{Digest as _, Sha256};

/// What is said of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Torch exports it.
    Exported,
    /// It does not.
    Missing,
    /// No release that is known here exports it, but which one counts is not known.
    Nowhere,
    /// That cannot be said: of this release, or of what builds for this backend add, too little is known.
    Unknown,
}

/// The Torch of a kernel's process.
#[derive(Clone, Copy, Debug)]
pub struct Torch<'a> {
    /// Its version; none where the kernel does not say one.
    pub version: Option<&'a Version>,
    /// The architecture.
    pub cpu: Cpu,
    /// What it was built for; none where the kernel does not say.
    pub backend: Option<Backend>,
    /// Whether only its stable ABI counts.
    pub stable: bool,
}

/// The embedded file.
struct Names {
    /// Version and architecture of each bit of a mask.
    releases: Vec<(Version, &'static str)>,
    /// Hash and mask of each name, sorted.
    rows: &'static [[u8; ROW]],
}

/// Bytes of a row: four of the hash, two of the mask.
const ROW: usize = 6;

/// The bit of names that only the libraries for CUDA have.
const ONLY_CUDA: u32 = 0x8000;

fn names() -> &'static Names {
    static FILE: &[u8] = include_bytes!("../../../data/link/torch.names");
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| {
        let end = FILE.windows(2).position(|pair| pair == b"\n\n").expect("an empty line ends the head");
        let head = std::str::from_utf8(&FILE[..end]).expect("the head is text");
        let release = |line: &'static str| {
            let field = |name: &str| line.split(' ').find_map(|field| field.strip_prefix(name));
            let version = field("version=").and_then(|version| version.parse().ok());
            version.zip(field("architecture="))
        };
        let (rows, _) = FILE[end + 2..].as_chunks();
        Names { releases: head.lines().filter_map(release).collect(), rows }
    })
}

impl Names {
    /// The mask of a name; nothing where no release has it.
    fn mask(&self, name: &str) -> Option<u32> {
        let digest = Sha256::digest(name.as_bytes());
        let at = self.rows.binary_search_by(|row| row[..4].cmp(&digest[..4])).ok()?;
        let [.., high, low] = self.rows[at];
        Some(u16::from_be_bytes([high, low]).into())
    }
}

impl Torch<'_> {
    /// The bit of its release; none where that is not known.
    fn release(&self, version: &Version) -> Option<usize> {
        let is_it = |(known, architecture): &(Version, &str)| {
            *architecture == self.cpu.as_str() && known.truncated() == version.truncated()
        };
        names().releases.iter().position(is_it)
    }

    /// Whether all that its libraries for Python and for every device export is known, too.
    pub fn is_known(&self) -> bool {
        !self.stable && self.version.is_some_and(|version| self.release(version).is_some())
    }

    /// Whether it exports a name.
    pub fn exports(&self, name: &str) -> Answer {
        let is_cxx = torch::is_cxx(name);
        // The judge compares both with what the stable ABI promises; which functions a build has, it does not.
        if self.stable {
            let is_there = |backend| torch::introduced(name).is_none() || torch::is_exported(name, backend);
            let is_c = torch::is_c_function(name) && self.backend.is_none_or(is_there);
            return if is_cxx || is_c { Answer::Exported } else { Answer::Missing };
        }
        let names = names();
        let mask = names.mask(name).filter(|mask| {
            mask & ONLY_CUDA == 0
                || self.backend.is_none_or(|backend| matches!(backend, Backend::Cuda | Backend::Rocm))
        });
        let Some(version) = self.version else {
            return match mask {
                Some(_) => Answer::Exported,
                None if is_cxx || torch::is_c_function(name) => Answer::Nowhere,
                None => Answer::Missing,
            };
        };
        match (self.release(version), mask) {
            (Some(bit), Some(mask)) if mask >> bit & 1 == 1 => Answer::Exported,
            _ if !is_cxx && !torch::is_c_function(name) => Answer::Missing,
            (None, _) => Answer::Unknown,
            // Names of device code differ from one toolkit to the next.
            _ if self.backend != Some(Backend::Cpu) && is_of_device(self.backend, name) => Answer::Unknown,
            _ => Answer::Missing,
        }
    }
}

/// Whether a name may be one that only a build for a backend has.
fn is_of_device(backend: Option<Backend>, name: &str) -> bool {
    let words = ["cuda", "cub", "thrust", "cutlass", "cudnn", "nccl", "nvrtc"];
    let name = name.to_ascii_lowercase();
    backend != Some(Backend::Cuda) || words.iter().any(|word| name.contains(word))
}

/// The releases that export a name, first and last, as versions of two parts; nothing where none does.
pub fn releases(name: &str) -> Option<(Version, Version)> {
    let names = names();
    let mask = names.mask(name)?;
    let mut with = names.releases.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
    let first = with.next()?.1.0.truncated();
    let last = with.next_back().map_or_else(|| first.clone(), |(_, (version, _))| version.truncated());
    Some((first, last))
}

/// The first and the last release that is known.
pub fn known() -> Option<(Version, Version)> {
    let releases = &names().releases;
    Some((releases.first()?.0.truncated(), releases.last()?.0.truncated()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_a_release_and_of_a_build() {
        let version = |text: &str| text.parse::<Version>().expect("a version");
        let (old, new, strange) = (version("2.11"), version("2.15"), version("2.7"));
        let ask = |version, backend, name: &str| {
            Torch { version, cpu: Cpu::X86_64, backend, stable: false }.exports(name)
        };
        let real = "_ZN3c1010TensorImplD1Ev";
        let made_up = "_ZN2at6native12never_existsERKNS_6TensorE";
        for (version, backend) in
            [(Some(&old), Some(Backend::Cpu)), (Some(&new), Some(Backend::Cuda)), (None, None)]
        {
            assert_eq!(ask(version, backend, real), Answer::Exported);
            let wrong = ask(version, backend, made_up);
            assert_eq!(wrong, if version.is_some() { Answer::Missing } else { Answer::Nowhere });
        }
        assert_eq!(ask(Some(&strange), Some(Backend::Cpu), real), Answer::Unknown);
        assert_eq!(ask(None, None, made_up), Answer::Nowhere);
        let device = "_ZN3c104cuda17getStreamFromPoolEba";
        assert_eq!(ask(Some(&new), Some(Backend::Cpu), device), Answer::Missing);
        assert_eq!(ask(Some(&new), Some(Backend::Cuda), "_ZN2at4cuda7made_upEv"), Answer::Unknown);
        assert_eq!(ask(Some(&new), Some(Backend::Cpu), "launch"), Answer::Missing);
        let newer = "aoti_torch_cpu__grouped_mm";
        assert_eq!(
            (ask(Some(&old), None, newer), ask(Some(&new), None, newer)),
            (Answer::Unknown, Answer::Exported)
        );
        assert_eq!(ask(Some(&old), Some(Backend::Cpu), newer), Answer::Missing);
        let stable = |backend, name: &str| {
            Torch { version: Some(&old), cpu: Cpu::X86_64, backend, stable: true }.exports(name)
        };
        let guard = "aoti_torch_create_cuda_guard";
        assert_eq!(stable(Some(Backend::Cuda), guard), Answer::Exported);
        assert_eq!(stable(Some(Backend::Cpu), guard), Answer::Missing);
        assert_eq!(known(), Some((old, new)));
    }
}
