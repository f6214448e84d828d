//! One `build.ninja` per variant: the plan's steps as edges. It names no absolute path and no tool, so it is the same
//! on every machine and for every engine; compilers come from `toolchain.ninja`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kernel_spec::plan::{
    CompatibilityStep, CompileStep, CompilerFamily, Flag, HipifyStep, Language, Library, MetalStep, Weight,
};

use super::escape::{Unwritable, ninja_path, ninja_value, nvcc_host, response, shell};

/// Folder of all builds of a project, relative to it.
pub const WORK: &str = ".kernel-builder";

/// The pool of compiles that need much memory; the file that includes ours gives it its depth.
pub const POOL: &str = "heavy";

/// nvcc, relative to the variant's build directory: run from there, it finds its own parts by relative paths too.
pub(crate) const NVCC: &str = "tc/cuda/bin/nvcc";

/// The clang that compiles HIP, relative to the variant's build directory.
pub(crate) const HIP_CLANG: &str = "tc/hip-clang/bin/clang++";

/// What translates CUDA to HIP, and the list of what it translates, relative to the variant's build directory.
pub(crate) const HIPIFY: (&str, &str) = ("generated/hipify.py", "generated/hipify.json");

/// The build directory of a variant, relative to the project, which is where every command runs.
pub fn build_directory(variant: &str) -> String {
    format!("{WORK}/{variant}")
}

/// The two halves of a variant's `build.ninja`, beside it. An engine that keeps objects apart from the library runs them
/// one after the other, each with the other half empty.
pub const OBJECTS: &str = "objects.ninja";
/// The second half.
pub const LINK: &str = "link.ninja";

/// `build.ninja` of a variant and its two halves, by file name. The id decides nothing but the second half, as long as no
/// source is told it.
pub fn variant(name: &str, library: &Library) -> Result<[(&'static str, String); 3], Unwritable> {
    let build = build_directory(name);
    let mut text = String::new();
    let _ = writeln!(text, "# Written by kernel-builder. Every command runs in the project's directory.");
    let _ = writeln!(text, "ninja_required_version = 1.8");
    let _ = writeln!(text, "include {}", ninja_path(&format!("{build}/toolchain.ninja"))?);
    let _ = writeln!(text, "variant = {}", ninja_value(name)?);
    let _ = writeln!(text, "stamp = {}", ninja_value(&format!("{build}/toolchain.stamp"))?);
    rules(&mut text);
    for half in [OBJECTS, LINK] {
        let _ = writeln!(text, "include {}", ninja_path(&format!("{build}/{half}"))?);
    }
    Ok([("build.ninja", text), (OBJECTS, objects(library, &build)?), (LINK, link(library, &build)?)])
}

fn objects(library: &Library, build: &str) -> Result<String, Unwritable> {
    let mut text = String::from("# Written by kernel-builder: everything that the id decides nothing of.\n");
    let flags = FlagSets::of(library);
    flags.write(&mut text, build)?;
    if library.compile.iter().any(|step| step.language == Language::Cuda) {
        if library.toolchain.cuda == Some(CompilerFamily::Clang) {
            compile_rule(&mut text, "cuda", "$cuda_clang -x cuda $prefix_map");
        } else {
            let _ = writeln!(text, "nvcc = {}", ninja_value(&shell(&format!("{build}/{NVCC}"))?)?);
            // Two of the passes, of which each architecture has its own, run at once; the result does not depend on it.
            compile_rule(&mut text, "cuda", "$nvcc $nvcc_host --threads=2");
        }
    }
    if library.compile.iter().any(|step| step.language == Language::Hip) {
        let _ = writeln!(text, "hip = {}", ninja_value(&shell(&format!("{build}/{HIP_CLANG}"))?)?);
        compile_rule(&mut text, "hip", "$hip -x hip $prefix_map");
    }
    if let Some(step) = &library.metal {
        metal(&mut text, step, build)?;
    }
    if let Some(step) = &library.hipify {
        hipify(&mut text, step, build)?;
    }
    for step in &library.compile {
        edge(&mut text, step, &flags, build)?;
    }
    for step in &library.link.compatibility {
        compatibility(&mut text, step, build)?;
    }
    Ok(text)
}

fn link(library: &Library, build: &str) -> Result<String, Unwritable> {
    let mut text = String::from("# Written by kernel-builder: the unit with the id, and the library.\n");
    identity(&mut text, library, build)?;
    link_edge(&mut text, library, build)?;
    Ok(text)
}

fn compatibility(text: &mut String, step: &CompatibilityStep, build: &str) -> Result<(), Unwritable> {
    let inside = |path: &String| ninja_path(&format!("{build}/{path}"));
    let what = match step {
        CompatibilityStep::Compile { source, object, flags } => {
            let _ = writeln!(text, "build {}: c {} | $stamp", inside(object)?, inside(source)?);
            let _ = writeln!(text, "  flags = {}", command_words(flags)?);
            format!("compile {source} (compatibility)")
        }
        CompatibilityStep::Archive { objects, archive } => {
            let objects: Result<Vec<String>, _> = objects.iter().map(inside).collect();
            let _ = writeln!(text, "build {}: archive {} | $stamp", inside(archive)?, objects?.join(" "));
            format!("archive {archive}")
        }
    };
    let _ = writeln!(text, "  what = {}", ninja_value(&what)?);
    Ok(())
}

/// The rules; `PWD` keeps the real directory out of debug information.
fn rules(text: &mut String) {
    compile_rule(text, "c", "$cxx -x c $prefix_map");
    compile_rule(text, "cxx", "$cxx $prefix_map");
    compile_rule(text, "objcxx", "$cxx -x objective-c++ $prefix_map");
    let _ = writeln!(text, "rule archive");
    let _ = writeln!(text, "  command = rm -f $out && $ar rcsD $out $in");
    let _ = writeln!(text, "  description = $variant: $what");
    let _ = writeln!(text, "rule link");
    let _ = writeln!(text, "  command = PWD=/proc/self/cwd $cxx @$out.rsp");
    let _ = writeln!(text, "  description = $variant: $what");
    let _ = writeln!(text, "  rspfile = $out.rsp");
    let _ = writeln!(text, "  rspfile_content = $arguments");
}

fn compile_rule(text: &mut String, rule: &str, driver: &str) {
    let _ = writeln!(text, "rule {rule}");
    let _ = writeln!(text, "  command = PWD=/proc/self/cwd {driver} $flags -MMD -MF $depfile -c $in -o $out");
    let _ = writeln!(text, "  description = $variant: $what");
    let _ = writeln!(text, "  depfile = $out.d");
    let _ = writeln!(text, "  deps = gcc");
}

/// The distinct lists of flags. Thousands of sources share a few of them.
struct FlagSets<'a>(BTreeMap<&'a [Flag], usize>);

impl<'a> FlagSets<'a> {
    fn of(library: &'a Library) -> Self {
        let mut sets = BTreeMap::new();
        for step in &library.compile {
            let next = sets.len();
            sets.entry(step.flags.as_slice()).or_insert(next);
        }
        Self(sets)
    }

    fn write(&self, text: &mut String, build: &str) -> Result<(), Unwritable> {
        let mut sets: Vec<_> = self.0.iter().map(|(flags, at)| (*at, *flags)).collect();
        sets.sort_unstable_by_key(|(at, _)| *at);
        for (at, flags) in sets {
            let _ = writeln!(text, "flags_{at} = {}", flag_words(flags, build)?);
        }
        Ok(())
    }
}

fn edge(text: &mut String, step: &CompileStep, flags: &FlagSets, build: &str) -> Result<(), Unwritable> {
    let object = ninja_path(&format!("{build}/{}", step.object))?;
    let rule = match step.language {
        Language::C => "c",
        Language::Cuda => "cuda",
        Language::Hip => "hip",
        Language::Metal => "metal",
        Language::ObjectiveCxx => "objcxx",
        Language::Cxx | Language::Sycl => "cxx",
    };
    let source = match &step.translated {
        Some(translated) => format!("{build}/{translated}"),
        None => step.source.clone(),
    };
    let _ = writeln!(text, "build {object}: {rule} {} | $stamp", ninja_path(&source)?);
    let _ = writeln!(text, "  flags = $flags_{}", flags.0[step.flags.as_slice()]);
    let _ = writeln!(text, "  what = {}", ninja_value(&step.title())?);
    if step.weight == Weight::Heavy {
        let _ = writeln!(text, "  pool = {POOL}");
    }
    Ok(())
}

/// Shaders become one library, which a generated unit takes in by the assembler.
fn metal(text: &mut String, step: &MetalStep, build: &str) -> Result<(), Unwritable> {
    let inside = |path: &String| ninja_path(&format!("{build}/{path}"));
    compile_rule(text, "metal", "$metal");
    let _ = writeln!(text, "rule metallib");
    let _ = writeln!(text, "  command = $metallib -o $out $in");
    let _ = writeln!(text, "  description = $variant: $what");
    let shaders: Result<Vec<String>, _> = step.shaders.iter().map(inside).collect();
    let library = inside(&step.output)?;
    let _ = writeln!(text, "build {library}: metallib {} | $stamp", shaders?.join(" "));
    let _ = writeln!(text, "  what = make the library of shaders");
    let _ = writeln!(text, "build {}: c {} | {library} $stamp", inside(&step.object)?, inside(&step.source)?);
    let _ = writeln!(text, "  flags = {}", flag_words(&step.flags, build)?);
    let _ = writeln!(text, "  what = embed the library of shaders");
    Ok(())
}

/// One edge for all sources of CUDA. Its outputs keep their date where they stay the same.
fn hipify(text: &mut String, step: &HipifyStep, build: &str) -> Result<(), Unwritable> {
    let outputs: Result<Vec<String>, _> =
        step.outputs.iter().map(|output| ninja_path(&format!("{build}/{output}"))).collect();
    let inputs: Result<Vec<String>, _> = step.inputs.iter().map(|input| ninja_path(input)).collect();
    let (script, list) = (format!("{build}/{}", HIPIFY.0), format!("{build}/{}", HIPIFY.1));
    let words = [script.clone(), format!("{build}/tc/hipify"), format!("{build}/hipified"), list.clone()];
    let _ = writeln!(text, "rule hipify");
    let _ = writeln!(text, "  command = $python -I -S {}", command_words(&words)?);
    let _ = writeln!(text, "  description = $variant: $what");
    let _ = writeln!(text, "  restat = 1");
    let own = [ninja_path(&script)?, ninja_path(&list)?, "$stamp".to_owned()].join(" ");
    let _ = writeln!(text, "build {}: hipify {} | {own}", outputs?.join(" "), inputs?.join(" "));
    let _ = writeln!(text, "  what = translate CUDA to HIP");
    Ok(())
}

fn identity(text: &mut String, library: &Library, build: &str) -> Result<(), Unwritable> {
    let unit = &library.identity;
    let object = ninja_path(&format!("{build}/{}", unit.object))?;
    let source = ninja_path(&format!("{build}/{}", unit.source))?;
    let _ = writeln!(text, "build {object}: c {source} | $stamp");
    let _ = writeln!(text, "  flags = {}", flag_words(&unit.flags, build)?);
    let _ = writeln!(text, "  what = compile the identity unit");
    Ok(())
}

fn link_edge(text: &mut String, library: &Library, build: &str) -> Result<(), Unwritable> {
    let step = &library.link;
    let output = ninja_path(&format!("{build}/{}", step.output))?;
    let inside = |path: &String| ninja_path(&format!("{build}/{path}"));
    let objects: Result<Vec<String>, _> = step.objects.iter().map(inside).collect();
    let mut others = vec![inside(&step.version_script)?, "$stamp".to_owned()];
    for made in &step.compatibility {
        if let CompatibilityStep::Archive { archive, .. } = made {
            others.push(inside(archive)?);
        }
    }
    let _ = writeln!(text, "build {output}: link {} | {}", objects?.join(" "), others.join(" "));
    let arguments: Result<Vec<String>, Unwritable> =
        step.arguments.iter().map(|argument| ninja_value(&response(argument)?)).collect();
    let _ = writeln!(text, "  arguments = {}", arguments?.join(" "));
    let _ = writeln!(text, "  what = link");
    let _ = writeln!(text, "build {}: phony {output}", ninja_path(&format!("{build}/all"))?);
    Ok(())
}

fn flag_words(flags: &[Flag], build: &str) -> Result<String, Unwritable> {
    let arguments: Vec<String> = flags.iter().flat_map(|flag| flag.arguments(build)).collect();
    command_words(&arguments)
}

/// Arguments as words of a command, which Ninja hands to a shell.
fn command_words(arguments: &[String]) -> Result<String, Unwritable> {
    let words: Result<Vec<String>, Unwritable> =
        arguments.iter().map(|argument| ninja_value(&shell(argument)?)).collect();
    Ok(words?.join(" "))
}

/// What differs between machines: the compilers, and the map that hides where they lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    /// C++ compiler, with arguments it is always given; with `-x c` the C compiler too, so that both are one.
    pub cxx: Vec<String>,
    /// Archiver.
    pub ar: String,
    /// The clang that compiles CUDA in nvcc's place, with arguments it is always given.
    pub cuda_clang: Option<Vec<String>>,
    /// Python, where sources are translated.
    pub python: Option<String>,
    /// Flags that hide the compilers' own directories.
    pub prefix_map: Vec<String>,
}

impl Tools {
    /// `toolchain.ninja`.
    pub fn render(&self) -> Result<String, Unwritable> {
        let mut text = String::from("# Written by kernel-builder: what differs between machines.\n");
        let _ = writeln!(text, "cxx = {}", command_words(&self.cxx)?);
        let _ = writeln!(text, "ar = {}", ninja_value(&shell(&self.ar)?)?);
        if let Some(clang) = &self.cuda_clang {
            let _ = writeln!(text, "cuda_clang = {}", command_words(clang)?);
        }
        if let Some(python) = &self.python {
            let _ = writeln!(text, "python = {}", ninja_value(&shell(python)?)?);
        }
        let _ = writeln!(text, "prefix_map = {}", command_words(&self.prefix_map)?);
        let (program, arguments) =
            self.cxx.split_first().map_or(("c++", &[][..]), |(first, rest)| (first, rest));
        let mut for_nvcc = vec!["-ccbin".to_owned(), program.to_owned()];
        for flag in arguments.iter().chain(&self.prefix_map) {
            for_nvcc.push(nvcc_host(flag)?);
        }
        let _ = writeln!(text, "nvcc_host = {}", command_words(&for_nvcc)?);
        Ok(text)
    }
}

/// The file one Ninja process reads for all variants of a build: `heavy` is how many compiles of much memory may run
/// at once.
pub fn top<'a>(variants: impl Iterator<Item = &'a str>, heavy: usize) -> Result<String, Unwritable> {
    let mut text = String::from("# Written by kernel-builder: all variants of one build.\n");
    let _ = writeln!(text, "ninja_required_version = 1.8");
    let _ = writeln!(text, "builddir = {WORK}");
    let _ = writeln!(text, "pool {POOL}\n  depth = {heavy}");
    for variant in variants {
        let _ =
            writeln!(text, "subninja {}", ninja_path(&format!("{}/build.ninja", build_directory(variant)))?);
    }
    Ok(text)
}
