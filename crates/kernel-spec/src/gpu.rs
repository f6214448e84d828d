//! Which GPU architectures exist. What a toolkit builds is the matrix's business; this tells a new or old architecture
//! from a slip of the pen.

use crate::capability::{Capability, Feature, GfxTarget};

/// A CUDA architecture.
#[derive(Debug)]
pub struct CudaArchitecture {
    /// Its capability without marks.
    pub capability: Capability,
    /// Whether code for exactly this architecture (`a`) exists.
    pub specific: bool,
    /// Whether code for its family (`f`) exists.
    pub family: bool,
}

const fn cuda(major: u32, minor: u32, specific: bool, family: bool) -> CudaArchitecture {
    CudaArchitecture { capability: Capability::plain(major, minor), specific, family }
}

/// Every CUDA architecture since Kepler, from the release notes of NVIDIA's toolkits.
pub static CUDA: &[CudaArchitecture] = &[
    cuda(3, 0, false, false),
    cuda(3, 2, false, false),
    cuda(3, 5, false, false),
    cuda(3, 7, false, false),
    cuda(5, 0, false, false),
    cuda(5, 2, false, false),
    cuda(5, 3, false, false),
    cuda(6, 0, false, false),
    cuda(6, 1, false, false),
    cuda(6, 2, false, false),
    cuda(7, 0, false, false),
    cuda(7, 2, false, false),
    cuda(7, 5, false, false),
    cuda(8, 0, false, false),
    cuda(8, 6, false, false),
    cuda(8, 7, false, false),
    cuda(8, 8, false, false),
    cuda(8, 9, false, false),
    cuda(9, 0, true, false),
    cuda(10, 0, true, true),
    cuda(10, 1, true, true),
    cuda(10, 3, true, true),
    cuda(11, 0, true, true),
    cuda(12, 0, true, true),
    cuda(12, 1, true, true),
];

/// Releases of the CUDA toolkit whose number is not also a capability.
static TOOLKITS: &[(u32, u32)] = &[
    (10, 2),
    (11, 1),
    (11, 2),
    (11, 3),
    (11, 4),
    (11, 5),
    (11, 6),
    (11, 7),
    (11, 8),
    (12, 2),
    (12, 3),
    (12, 4),
    (12, 5),
    (12, 6),
    (12, 8),
    (12, 9),
    (13, 0),
    (13, 1),
    (13, 2),
    (13, 3),
];

/// Capabilities that got another number: old, and new (CUDA 13 renamed Thor).
static RENAMED: &[(Capability, Capability)] = &[(Capability::plain(10, 1), Capability::plain(11, 0))];

/// The number that a capability without marks has today, where it has another.
pub fn renamed(capability: Capability) -> Option<Capability> {
    RENAMED.iter().find(|(old, _)| *old == capability).map(|(_, new)| *new)
}

/// The architecture a capability is for, if there is one.
pub fn cuda_architecture(capability: Capability) -> Option<&'static CudaArchitecture> {
    CUDA.iter().find(|row| row.capability == capability.base())
}

/// Whether such a GPU exists and the letter means anything for it.
pub fn is_known(capability: Capability) -> bool {
    cuda_architecture(capability).is_some_and(|row| match capability.feature {
        None => true,
        Some(Feature::Architecture) => row.specific,
        Some(Feature::Family) => row.family,
    })
}

/// Whether the number is no capability but the version of a CUDA toolkit.
pub fn looks_like_toolkit(capability: Capability) -> bool {
    TOOLKITS.contains(&(capability.major, capability.minor))
}

/// Every gfx target that LLVM's AMDGPU back end knows and ROCm has been built for.
pub static GFX: &[&str] = &[
    "gfx803", "gfx900", "gfx902", "gfx904", "gfx906", "gfx908", "gfx909", "gfx90a", "gfx90c", "gfx940",
    "gfx941", "gfx942", "gfx950", "gfx1010", "gfx1011", "gfx1012", "gfx1013", "gfx1030", "gfx1031",
    "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036", "gfx1100", "gfx1101", "gfx1102", "gfx1103",
    "gfx1150", "gfx1151", "gfx1152", "gfx1153", "gfx1200", "gfx1201", "gfx1250",
];

/// Whether a gfx target exists.
pub fn is_known_gfx(target: &str) -> bool {
    target.parse::<GfxTarget>().is_ok() && GFX.contains(&target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolkit_versions_are_told_from_capabilities() {
        let capability = |text: &str| text.parse::<Capability>().expect(text);
        for text in ["9.0a", "12.0+PTX", "10.0f", "8.6", "5.0"] {
            assert!(is_known(capability(text)) && !looks_like_toolkit(capability(text)), "{text}");
        }
        for text in ["8.0a", "9.0f", "99.0", "11.8"] {
            assert!(!is_known(capability(text)), "{text}");
        }
        assert!(looks_like_toolkit(capability("11.8")));
        assert!(CUDA.iter().all(|row| !looks_like_toolkit(row.capability)));
        assert!(GFX.iter().all(|target| is_known_gfx(target)) && !is_known_gfx("gfx90a:xnack+"));
    }
}
