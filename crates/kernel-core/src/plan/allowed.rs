//! Which flags a project may give to a compiler. A project is untrusted, and compilers have options that load code
//! into themselves, run programs, read files anywhere or write files anywhere; so flags pass by an allow-list, and
//! the owner of the machine can add to it with `--allow-flag`.

pub mod nvcc;

use std::collections::BTreeSet;

use kernel_spec::code;
use kernel_spec::{Finding, Located, SourceText};

/// Names after `-f` or `-fno-` that change code or messages and nothing else. One that takes a value ends in `=`.
static FEATURES: &str = "\
aggressive-loop-optimizations align-functions align-functions= align-jumps= align-labels= align-loops align-loops= \
aligned-new aligned-new= approx-func associative-math asynchronous-unwind-tables bracket-depth= branch-count-reg \
builtin caller-saves cf-protection cf-protection= char8_t clang-abi-compat= code-hoisting color-diagnostics \
concepts concepts-diagnostics-depth= constexpr-cache-depth= constexpr-depth= constexpr-loop-limit= \
constexpr-ops-limit= constexpr-steps= coroutines crossjumping cx-fortran-rules cx-limited-range data-sections \
declone-ctor-dtor deduce-init-list delete-dead-exceptions delete-null-pointer-checks devirtualize \
devirtualize-speculatively diagnostics-color= diagnostics-show-caret diagnostics-show-option elide-constructors \
enforce-eh-specs exceptions excess-precision= expensive-optimizations ext-numeric-literals extern-tls-init \
fast-math finite-loops finite-math-only float-store fold-simple-inlines force-addr forward-propagate fp-contract= \
fp-exception-behavior= fp-int-builtin-inexact fp-model= function-sections gcse gcse-after-reload gcse-las gcse-lm \
gcse-sm gnu-keywords gnu-unique gnu89-inline graphite-identity guess-branch-probability hoist-adjacent-loads \
honor-infinities honor-nans if-conversion if-conversion2 implicit-templates inline inline-atomics inline-functions \
inline-functions-called-once inline-limit= inline-small-functions ipa-bit-cp ipa-cp ipa-cp-clone ipa-icf ipa-modref \
ipa-pta ipa-pure-const ipa-ra ipa-reference ipa-sra ipa-vrp ira-algorithm= ira-hoist-pressure ira-loop-pressure \
ira-region= isolate-erroneous-paths-dereference ivopts jump-tables keep-inline-functions lax-vector-conversions \
live-range-shrinkage loop-nest-optimize loop-parallelize-all math-errno max-errors= max-type-align= merge-all-constants \
merge-constants message-length= modulo-sched move-loop-invariants ms-extensions non-call-exceptions \
nonansi-builtins omit-frame-pointer openmp openmp-simd operator-names optimize-sibling-calls optimize-strlen \
pack-struct partial-inlining peel-loops peephole permissive pic PIC plt predictive-commoning prefetch-loop-arrays \
protect-parens reciprocal-math ree reg-struct-return rename-registers reorder-blocks reorder-functions \
rounding-math rtti sanitize-recover sanitize-trap sanitize= sched-interblock sched-pressure sched-spec \
schedule-insns schedule-insns2 section-anchors selective-scheduling selective-scheduling2 semantic-interposition \
short-enums show-column shrink-wrap signaling-nans signed-char signed-zeros simd-cost-model= \
single-precision-constant sized-deallocation slp-vectorize split-ivs-in-unroller split-loops split-paths \
split-wide-types stack-check stack-clash-protection stack-protector stack-protector-all stack-protector-strong \
standalone-debug store-merging strict-aliasing strict-aliasing= strict-enums strict-float-cast-overflow \
strict-overflow strict-overflow= strict-vtable-pointers strong-eval-order template-backtrace-limit= template-depth= \
thread-jumps threadsafe-statics tls-model= toplevel-reorder tracer trapping-math trapv tree-dce \
tree-dominator-opts tree-loop-distribute-patterns tree-loop-distribution tree-loop-if-convert tree-loop-im \
tree-loop-ivcanon tree-loop-optimize tree-loop-vectorize tree-partial-pre tree-pre tree-pta tree-reassoc \
tree-slp-vectorize tree-sra tree-ter tree-vectorize tree-vrp trivial-auto-var-init= unconstrained-commons \
unroll-all-loops unroll-loops unsafe-math-optimizations unsigned-char unswitch-loops unwind-tables \
variable-expansion-in-unroller vect-cost-model= vectorize verbose-asm visibility-inlines-hidden visibility-ms-compat \
visibility= web wrapv wrapv-pointer zero-initialized-in-bss";

/// Whole options without a value.
static EXACT: &[&str] = &[
    "-O",
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-Ofast",
    "-Og",
    "-Os",
    "-ansi",
    "-g",
    "-g0",
    "-g1",
    "-g2",
    "-g3",
    "-ggdb",
    "-ggdb0",
    "-ggdb1",
    "-ggdb2",
    "-ggdb3",
    "-gline-tables-only",
    // Stands beside `-fopenmp` in many manifests; while compiling it means nothing.
    "-lgomp",
    "-pedantic",
    "-pedantic-errors",
    "-pthread",
    "-w",
];

/// Options that take a path of the project, attached or as the next flag.
static PATHS: &[&str] = &["-I", "-idirafter", "-imacros", "-include", "-iquote", "-isystem"];

/// The macro that chooses between libstdc++'s new strings and its old ones.
const STRINGS: &str = "_GLIBCXX_USE_CXX11_ABI=";

/// Judges one list of flags; the answer names every refused element.
pub fn judge(flags: &[Located<String>], allowed: &BTreeSet<String>, text: &SourceText) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        if allowed.contains(&flag.value) {
            continue;
        }
        let refused = if PATHS.contains(&flag.value.as_str()) {
            match rest.next() {
                Some(path) if allowed.contains(&path.value) => None,
                Some(path) => confined(&path.value).err().map(|reason| (path, reason)),
                None => Some((flag, "a path must follow it".to_owned())),
            }
        } else {
            check(&flag.value).err().map(|reason| (flag, reason))
        };
        if let Some((element, reason)) = refused {
            findings.push(refusal(element, reason).at(text.span(element.bytes.clone())));
        }
    }
    findings
}

fn refusal(flag: &Located<String>, reason: String) -> Finding {
    Finding::error(&code::build::FLAG, format!("the flag `{}` is not allowed", flag.value.escape_debug()))
        .cause(reason)
        .help(format!(
            "remove it; if you own this machine and trust the project, build with `--allow-flag={}`",
            flag.value.escape_debug()
        ))
}

fn check(flag: &str) -> Result<(), String> {
    let unknown = || Err("it is not among the flags that only change how code is generated".to_owned());
    if EXACT.contains(&flag) {
        return Ok(());
    }
    if flag.chars().any(char::is_control) {
        return Err("it holds a control character".to_owned());
    }
    if let Some(path) = PATHS.iter().find_map(|option| flag.strip_prefix(option)) {
        return confined(path);
    }
    if let Some(definition) = flag.strip_prefix("-D").or_else(|| flag.strip_prefix("-U")) {
        let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
        if definition.strip_prefix(STRINGS).is_some_and(|value| value != "1") {
            return Err(
                "with libstdc++'s old strings a kernel cannot be loaded into Torch, which has the new"
                    .to_owned(),
            );
        }
        return if definition.starts_with(begins) {
            Ok(())
        } else {
            Err("a macro name must follow".to_owned())
        };
    }
    if let Some(standard) = flag.strip_prefix("-std=") {
        return if standard.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+') {
            Ok(())
        } else {
            unknown()
        };
    }
    if let Some(dwarf) = flag.strip_prefix("-gdwarf") {
        return if matches!(dwarf, "" | "-2" | "-3" | "-4" | "-5") { Ok(()) } else { unknown() };
    }
    if let Some(feature) = flag.strip_prefix("-f") {
        return if is_feature(feature) { Ok(()) } else { unknown() };
    }
    if let Some(warning) = flag.strip_prefix("-W") {
        let passes_on = warning.contains(',');
        return if passes_on { Err("it passes arguments on to another tool".to_owned()) } else { Ok(()) };
    }
    match flag.strip_prefix("-m") {
        Some(machine) => check_machine(machine),
        None => unknown(),
    }
}

fn is_feature(feature: &str) -> bool {
    let name = feature.strip_prefix("no-").unwrap_or(feature);
    if let Some(builtin) = name.strip_prefix("builtin-") {
        return builtin.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    }
    let key = name.find('=').map_or(name, |at| &name[..=at]);
    FEATURES.split_ascii_whitespace().any(|known| known == key)
}

fn check_machine(machine: &str) -> Result<(), String> {
    if machine.ends_with("=native") {
        return Err(
            "it makes the result depend on the machine that builds, and crash on lesser ones".to_owned()
        );
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._=+,".contains(&byte);
    if matches!(machine, "llvm" | "abi=ms") || machine.starts_with("llvm") || !machine.bytes().all(plain) {
        return Err("it is not among the flags that only choose instructions".to_owned());
    }
    Ok(())
}

/// A path must stay inside the project.
pub fn confined(path: &str) -> Result<(), String> {
    if path.is_empty() {
        return Err("the path is empty".to_owned());
    }
    if path.starts_with(['/', '\\', '=', '$', '@', '-', '~']) {
        return Err("the path does not begin inside the project".to_owned());
    }
    if path.split(['/', '\\']).any(|part| part == "..") {
        return Err("the path leaves its directory with `..`".to_owned());
    }
    if path.chars().any(char::is_control) {
        return Err("the path holds a control character".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(flags: &[&str]) -> usize {
        let located: Vec<Located<String>> =
            flags.iter().map(|flag| Located::new((*flag).to_owned(), 0..0)).collect();
        judge(&located, &BTreeSet::new(), &SourceText::new("build.toml", "")).len()
    }

    #[test]
    fn flags_of_real_kernels_pass() {
        for flag in [
            "-O3",
            "-DFOO",
            "-DFOO=\"a b\"",
            "-UNDEBUG",
            "-D_GLIBCXX_USE_CXX11_ABI=1",
            "-std=c++20",
            "-march=armv8.2-a+fp16",
            "-mavx2",
            "-mf16c",
            "-fopenmp",
            "-ffast-math",
            "-fno-math-errno",
            "-ffp-contract=fast",
            "-funroll-loops",
            "-Wall",
            "-Wno-error",
            "-Wno-unused=foo",
            "-g",
            "-gdwarf-4",
            "-pthread",
            "-fno-builtin-memcpy",
            "-ftemplate-depth=2048",
            "-Iinclude",
            "-fvisibility=default",
            "-ftree-vectorize",
        ] {
            assert_eq!(refused(&[flag]), 0, "{flag}");
        }
        assert_eq!(refused(&["-I", "a/b", "-include", "config.h", "-isystem", "third_party"]), 0);
    }

    #[test]
    fn flags_that_reach_outside_are_refused() {
        for flag in [
            "-fplugin=./x.so",
            "-fplugin-arg-x-y",
            "-fpass-plugin=x.so",
            "-B.",
            "-B",
            "-specs=x",
            "--specs=x",
            "@file",
            "-wrapper",
            "-o",
            "-ox",
            "-Xclang",
            "-load",
            "-mllvm",
            "-Xlinker",
            "-Wl,-rpath,/x",
            "-Wa,-I/x",
            "-Wp,-MD,x",
            "-I/usr/include",
            "-I../x",
            "-Ia/../../x",
            "-I=/x",
            "-isystem/etc",
            "-include/etc/passwd",
            "-iplugindir=x",
            "-fmodule-mapper=|sh",
            "-fprofile-use=/x",
            "-fdump-tree-all=/x",
            "-fuse-ld=./x",
            "-fauto-profile=/x",
            "-ffile-prefix-map=a=b",
            "-fsanitize-ignorelist=/x",
            "-save-temps",
            "-MF",
            "-MMD",
            "-L.",
            "-lfoo",
            "foo.o",
            "-ccbin",
            "-march=native",
            "-mtune=native",
            "--sysroot=/",
            "-nostdinc",
            "-x",
            "-D",
            "-D-x",
            "-D_GLIBCXX_USE_CXX11_ABI=0",
            "-T",
            "-flto",
            "-fcrash-diagnostics-dir=/x",
            "-ftime-trace=/x",
            "-fopt-info-vec=/x",
            "-DX\nY",
            "",
        ] {
            assert_eq!(refused(&[flag]), 1, "{flag}");
        }
        assert_eq!(refused(&["-I", "/usr/include"]), 1);
        assert_eq!(refused(&["-I"]), 1);
        assert_eq!(refused(&["-Xclang", "-load", "-Xclang", "./x.so"]), 4);
    }

    #[test]
    fn the_owner_of_the_machine_may_allow_one() {
        let flags = [Located::new("-march=native".to_owned(), 0..0)];
        let allowed = BTreeSet::from(["-march=native".to_owned()]);
        assert!(judge(&flags, &allowed, &SourceText::new("build.toml", "")).is_empty());
    }
}
