//! The trap of the ordinary torch: the wheel of the package index is compiled for CUDA, and the loader decides by that,
//! so on a machine without a GPU it looks for CUDA variants and refuses the CPU one that would work.

use camino::Utf8Path;
use kernel_spec::{Finding, code};

use crate::host::PythonEnvironment;

/// Devices of NVIDIA's driver, on Linux and under WSL.
const DEVICES: &[&str] = &["/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"];

pub(super) fn find(environment: &PythonEnvironment) -> Option<Finding> {
    let torch = environment.torch.as_ref()?;
    let cuda = torch.cuda.as_ref()?;
    if DEVICES.iter().any(|device| Utf8Path::new(device).exists()) {
        return None;
    }
    let message =
        format!("torch {} is compiled for CUDA {cuda}, and there is no NVIDIA device", torch.full_version);
    Some(
        Finding::warning(&code::environment::TORCH_WITHOUT_DEVICE, message)
            .cause("the `kernels` loader decides by what torch was compiled for, not by what the machine has")
            .cause("so `get_kernel` without `backend=` looks for a CUDA variant and refuses the CPU one"),
    )
}
