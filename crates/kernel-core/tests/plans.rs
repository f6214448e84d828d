//! Plans of manifests as people write them, for every variant that they declare, and the edges that they become.

use std::collections::BTreeSet;

use kernel_core::plan::{Contents, Request, ToolchainFacts, plan};
use kernel_core::render::ninja;
use kernel_core::toolchain::sysroot::Policy;
use kernel_spec::manifest::types::{Component, Target};
use kernel_spec::manifest::{Manifest, parse};
use kernel_spec::matrix::variants_of;
use kernel_spec::plan::{Library, Plan, Profile};
use kernel_spec::variant::Variant;
use kernel_spec::{Backend, Matrix, SourceText};

#[path = "../../kernel-spec/tests/manifest/collection.rs"]
#[allow(clippy::print_stdout, reason = "the tests tell how many manifests they have")]
mod collection;

fn planned(text: &SourceText, manifest: &Manifest, variant: &Variant) -> Plan {
    let matrix = Matrix::embedded();
    let facts = variant
        .arch()
        .map_or_else(ToolchainFacts::none, |arch| ToolchainFacts::supposed(arch, matrix, Profile::Release));
    let request = Request {
        manifest,
        text,
        matrix,
        variant,
        profile: Profile::Release,
        policy: Policy::Host,
        project: &Contents { id: "_demo_x_aaaaaaaaaaaaa".to_owned(), ..Contents::default() },
        toolchain: &facts,
        allowed_flags: &BTreeSet::new(),
    };
    plan(&request).unwrap_or_else(|faults| panic!("{}, {variant}: {faults:?}", text.path()))
}

/// The text of all files of edges.
fn edges_of(variant: &str, library: &Library) -> String {
    ninja::variant(variant, library).expect("edges").map(|(_, text)| text).concat()
}

/// What a component lists.
fn listed(component: &Component) -> Vec<String> {
    let listed = match &component.target {
        Target::Cuda { capabilities, .. } => capabilities,
        Target::Rocm { architectures, .. } => architectures,
        _ => &None,
    };
    listed.iter().flatten().map(|entry| entry.value.clone()).collect()
}

/// The flag that compiles for an architecture.
fn flag(backend: Backend, architecture: &str) -> String {
    if backend == Backend::Rocm {
        return format!("--offload-arch={architecture}");
    }
    let digits = architecture.trim_end_matches("+PTX").replace('.', "");
    format!("-gencode=arch=compute_{digits},code=sm_{digits}")
}

/// Every architecture that a component lists is compiled for, or a finding says why it is not.
fn explained(plan: &Plan, component: &Component, path: &str) {
    let section = format!("kernel.{}", component.name.value);
    let steps = plan.library.iter().flat_map(|library| &library.compile);
    let steps = steps.filter(|step| step.component == section);
    // Lists of flags are shared by most sources.
    let sets: BTreeSet<_> = steps.map(|step| &step.flags).collect();
    let flags: BTreeSet<String> = sets.into_iter().flatten().map(ToString::to_string).collect();
    // Where all are headers, there is nothing to lose.
    if flags.is_empty() {
        return;
    }
    let said = |words: &[&str]| {
        plan.findings.iter().any(|finding| {
            words.iter().all(|word| finding.message.contains(word))
                && (finding.span.is_some() || !finding.causes.is_empty())
        })
    };
    for architecture in listed(component) {
        let wanted = flag(component.backend.value, &architecture);
        let compiled = flags.contains(&wanted);
        let left_out =
            said(&[&format!("`{section}`"), "is not built for", architecture.trim_end_matches("+PTX")])
                || said(&["is left out", &component.name.value]);
        assert!(
            compiled || left_out,
            "{path}, {}: {architecture} of {section} is lost without a word",
            plan.variant
        );
    }
}

#[test]
fn every_collected_manifest_has_a_plan_for_all_that_it_declares() {
    let manifests = collection::collected();
    let (mut plans, mut edges) = (0, 0);
    for (path, text) in &manifests {
        let text = SourceText::new(path.as_str(), text.as_str());
        let manifest = parse(&text).manifest.expect(path);
        let offers = variants_of(&manifest, Matrix::embedded());
        for backend in &manifest.general.backends {
            let of_it = |variant: &Variant| variant.backend().is_none_or(|offered| offered == backend.value);
            assert!(
                offers.iter().any(|offer| of_it(&offer.variant)),
                "{path}: nothing for {}",
                backend.value
            );
        }
        for offer in &offers {
            let plan = planned(&text, &manifest, &offer.variant);
            plans += 1;
            let Some(arch) = offer.variant.arch() else { continue };
            for component in manifest.components_of(arch.compute.backend()) {
                explained(&plan, component, path);
            }
            let library = plan.library.as_ref().expect("something is compiled");
            edges += edges_of(&plan.variant, library).matches("\nbuild ").count();
        }
    }
    println!("{plans} plans of {} manifests with {edges} edges", manifests.len());
    assert!(plans > 5 * manifests.len(), "{plans} plans");
}

const METAL: &str = r#"[general]
name = "plus-one"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["metal", "cpu"]

[torch]
src = ["torch-ext/binding.cpp"]

[kernel.plus]
backend = "metal"
depends = ["torch"]
include = ["shaders"]
src = ["plus.mm", "plus.metal", "more.metal", "plus.h"]

[kernel.host]
backend = "cpu"
depends = ["torch"]
src = ["host.cpp"]
"#;

fn library(manifest: &str, variant: &str) -> Library {
    let text = SourceText::new("build.toml", manifest);
    let parsed = parse(&text);
    let manifest = parsed.manifest.unwrap_or_else(|| panic!("{:?}", parsed.findings));
    let variant = variant.parse().expect("a variant");
    planned(&text, &manifest, &variant).library.expect("something is compiled")
}

fn flags(library: &Library, source: &str) -> Vec<String> {
    let step = library.compile.iter().find(|step| step.source == source).expect("a step");
    step.flags.iter().map(ToString::to_string).collect()
}

/// Section 4.3 of the formats: flags, `.metal → .air → .metallib`, what sources find the library by, the oldest system.
#[test]
fn metal_is_planned_as_the_formats_say() {
    let made = library(METAL, "torch213-metal-aarch64-darwin");
    for shader in ["plus.metal", "more.metal"] {
        assert_eq!(
            flags(&made, shader),
            ["-std=metal4.0", "-O2", "-mmacosx-version-min=26.0", "-Ishaders"],
            "{shader}"
        );
    }
    for source in ["plus.mm", "torch-ext/binding.cpp"] {
        let flags = flags(&made, source);
        for flag in [
            "-DMETAL_KERNEL",
            "-mmacosx-version-min=26.0",
            "-std=c++20",
            "-DEMBEDDED_METALLIB_HEADER=\"embedded_metallib.h\"",
            "-DEMBEDDED_METALLIB_NAMESPACE=kernel_builder_metal",
            "-Iinclude",
        ] {
            assert!(flags.iter().any(|one| one == flag), "{flag} is missing for {source}: {flags:?}");
        }
        for flag in ["-fno-gnu-unique", "-fplt", "-D_GLIBCXX_USE_CXX11_ABI=1"] {
            assert!(!flags.iter().any(|one| one == flag), "{flag} is for another system");
        }
    }
    let metal = made.metal.as_ref().expect("shaders");
    assert_eq!(metal.shaders, ["objects/kernel.plus/plus.metal.air", "objects/kernel.plus/more.metal.air"]);
    assert!(!made.link.objects.iter().any(|object| metal.shaders.contains(object)), "shaders are not linked");
    assert!(made.link.objects.contains(&metal.object), "their library is");
    let arguments = made.link.arguments.join(" ");
    for words in ["-bundle", "-undefined dynamic_lookup", "-mmacosx-version-min=26.0", "-framework Metal"] {
        assert!(arguments.contains(words), "{words}: {arguments}");
    }
    assert!(!arguments.contains("version-script") && !arguments.contains("crti.o"), "{arguments}");

    let build = ".kernel-builder/torch213-metal-aarch64-darwin";
    let edges = edges_of("torch213-metal-aarch64-darwin", &made);
    for edge in [
        format!("build {build}/objects/kernel.plus/plus.metal.air: metal plus.metal | $stamp"),
        format!(
            "build {build}/metal/library.metallib: metallib {build}/objects/kernel.plus/plus.metal.air \
             {build}/objects/kernel.plus/more.metal.air | $stamp"
        ),
        format!(
            "build {build}/objects/metallib.o: c {build}/generated/metallib.c | {build}/metal/library.metallib $stamp"
        ),
        format!("build {build}/objects/kernel.plus/plus.mm.o: objcxx plus.mm | $stamp"),
        "  command = $metallib -o $out $in".to_owned(),
        "-x objective-c++ $prefix_map $flags".to_owned(),
    ] {
        assert!(edges.contains(&edge), "{edge}\n{edges}");
    }
}

#[test]
fn kernels_for_the_cpu_of_a_mac_load_on_older_systems() {
    let made = library(METAL, "torch213-cpu-aarch64-darwin");
    let of_host = flags(&made, "host.cpp");
    assert!(of_host.iter().any(|flag| flag == "-mmacosx-version-min=15.0"), "{of_host:?}");
    assert!(!of_host.iter().any(|flag| flag.contains("METALLIB")), "{of_host:?}");
    assert!(made.metal.is_none() && !made.link.arguments.join(" ").contains("-framework"));
}
