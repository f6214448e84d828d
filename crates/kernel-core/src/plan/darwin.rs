//! What macOS adds to a plan (formats, section 4.3): the oldest system, another link, and for Metal the library of shaders
//! that is embedded into the kernel's.

use kernel_spec::Backend;
use kernel_spec::arch::Os;
use kernel_spec::plan::{CompileStep, Flag, Language, LinkStep, MetalStep, Profile};
use kernel_spec::variant::ArchVariant;

use super::Request;
use crate::render::ninja::build_directory;

/// The library of shaders, and the unit that holds it; relative to the variant's build directory.
const LIBRARY: &str = "metal/library.metallib";
const UNIT: (&str, &str) = ("generated/metallib.c", "objects/metallib.o");
/// The linker's list of symbols that a library shows.
const EXPORTS: &str = "generated/exports.txt";
const OUTPUT: &str = "library.so";
const MAP: &str = "library.map";

/// Flags of shaders.
static SHADER: &[&str] = &["-std=metal4.0", "-O2"];

/// What sources find the embedded library by.
static EMBEDDED: &[&str] = &[
    "-DEMBEDDED_METALLIB_HEADER=\"embedded_metallib.h\"",
    "-DEMBEDDED_METALLIB_NAMESPACE=kernel_builder_metal",
];

/// Whether a variant is for macOS.
pub(super) fn is_for(variant: &ArchVariant) -> bool {
    variant.system.os == Os::Darwin
}

/// The oldest macOS that a variant loads on: the loader wants 26 for Metal.
pub(super) fn deployment_target(variant: &ArchVariant) -> Flag {
    let oldest = if variant.compute.backend() == Backend::Metal { "26.0" } else { "15.0" };
    Flag::Plain(format!("-mmacosx-version-min={oldest}"))
}

/// Flags of a shader before the component's include directories.
pub(super) fn shader(variant: &ArchVariant) -> Vec<Flag> {
    let mut flags: Vec<Flag> = SHADER.iter().map(|&flag| Flag::plain(flag)).collect();
    flags.push(deployment_target(variant));
    flags
}

/// Definitions by which the host's sources find the embedded library.
pub(super) fn embedded() -> impl Iterator<Item = Flag> {
    EMBEDDED.iter().map(|&flag| Flag::plain(flag))
}

/// From shaders to the object that holds their library; none where there are no shaders.
pub(super) fn metallib(steps: &[CompileStep], flags: Vec<Flag>) -> Option<MetalStep> {
    let shaders = steps.iter().filter(|step| step.language == Language::Metal);
    let shaders: Vec<String> = shaders.map(|step| step.object.clone()).collect();
    let (source, object) = (UNIT.0.to_owned(), UNIT.1.to_owned());
    (!shaders.is_empty()).then(|| MetalStep { shaders, output: LIBRARY.into(), source, object, flags })
}

/// The last step. The symbols of torch and of TVM-FFI are those of the process.
pub(super) fn link(request: &Request, variant: &ArchVariant, objects: Vec<String>) -> LinkStep {
    let build = build_directory(&request.variant.to_string());
    let inside = |path: &str| format!("{build}/{path}");
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<String>>();
    let mut arguments = words(&["-bundle", "-undefined", "dynamic_lookup", "-o"]);
    arguments.push(inside(OUTPUT));
    arguments.extend(deployment_target(variant).arguments(&build));
    for (option, path) in [("-exported_symbols_list", EXPORTS), ("-map", MAP)] {
        arguments.extend(words(&["-Xlinker", option, "-Xlinker"]));
        arguments.push(inside(path));
    }
    arguments.extend(objects.iter().map(|object| inside(object)));
    if variant.compute.backend() == Backend::Metal {
        arguments.extend(words(&["-framework", "Metal", "-framework", "Foundation"]));
    }
    if request.profile == Profile::Release {
        arguments.extend(words(&["-Wl,-S", "-Wl,-x"]));
    }
    LinkStep {
        output: OUTPUT.into(),
        map: MAP.into(),
        objects,
        runtimes: Vec::new(),
        version_script: EXPORTS.into(),
        compatibility: Vec::new(),
        arguments,
    }
}
