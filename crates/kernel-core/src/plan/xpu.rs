//! What Intel's GPUs add to a plan (formats, section 4.3): the flags of SYCL for the sources of components, and those of
//! the link, in which code for the devices is made.

use kernel_spec::plan::Flag;

/// Devices that code is made for ahead of time; any other gets its code from the intermediate form when it is loaded.
const DEVICES: &str = "pvc,xe-lpg,ats-m150";

/// What both compiling and linking need.
static COMMON: &[&str] = &["-fsycl", "-fsycl-targets=spir64_gen,spir64", "--offload-compress"];

/// For sources of components.
static COMPILE: &[&str] = &[
    "-fhonor-nans",
    "-fhonor-infinities",
    "-fno-associative-math",
    "-fno-approx-func",
    "-foffload-fp32-prec-div",
    "-foffload-fp32-prec-sqrt",
    "-fno-sycl-instrument-device-code",
];

/// Options of the compiler that makes code for the devices.
static DEVICE_OPTIONS: &[&str] = &[
    "-cl-intel-enable-auto-large-GRF-mode",
    "-cl-poison-unsupported-fp64-kernels",
    "-cl-intel-greater-than-4GB-buffer-required",
];

/// Flags of every source of a component.
pub(super) fn compile() -> impl Iterator<Item = Flag> {
    COMMON.iter().chain(COMPILE).map(|&flag| Flag::plain(flag))
}

/// Arguments of the link.
pub(super) fn link() -> impl Iterator<Item = String> {
    let options: Vec<String> = DEVICE_OPTIONS.iter().map(|option| format!("-options {option}")).collect();
    let backend = format!("-device {DEVICES} {}", options.join(" "));
    let plain = COMMON.iter().chain(&["-Wl,-z,noexecstack", "-Xsycl-target-backend=spir64_gen"]);
    plain.map(|&flag| flag.to_owned()).chain([backend])
}
