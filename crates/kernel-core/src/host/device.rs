//! Whether a device is there, told by the files of its driver: asking the driver itself would need its libraries.

use camino::Utf8Path;
use kernel_spec::Backend;

/// Whether this machine has a device of a backend; `None` where no file tells.
pub fn device_is_present(backend: Backend) -> Option<bool> {
    let exists = |path: &str| Utf8Path::new(path).exists();
    match backend {
        Backend::Cpu => Some(true),
        Backend::Cuda => Some(exists("/dev/nvidiactl") || exists("/dev/dxg") || exists("/dev/nvmap")),
        Backend::Rocm => Some(exists("/dev/kfd") || exists("/dev/dxg")),
        // Every maker's GPUs stand in the one directory, so only its absence tells something.
        Backend::Xpu => (!exists("/dev/dri") && !exists("/dev/dxg")).then_some(false),
        Backend::Metal | Backend::Cann | Backend::Neuron | Backend::Tpu => None,
    }
}
