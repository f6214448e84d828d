//! CUDA compiled by clang, where no nvcc of the toolkit's version can be had: which architectures it knows, and what a
//! component's flags for nvcc are in its words. For trying out alone: what is published is compiled by CUDA's own compiler.

use kernel_spec::capability::{Capability, Feature};
use kernel_spec::plan::Flag;
use kernel_spec::{Finding, Located, SourceText, code};

/// The lowest major version that compiles torch's headers for the architectures of today.
pub(crate) const OLDEST: u32 = 18;

/// Whether clang of a major version compiles for a capability (its release notes: 20.1 and 21.1 are the ones that add some).
pub(super) fn knows(clang: u32, capability: Capability) -> bool {
    let newest = match clang {
        ..20 => (9, 0),
        20 => (12, 0),
        _ => (12, 1),
    };
    let not_yet = clang < 21 && (capability.major, capability.minor) == (10, 3);
    (capability.major, capability.minor) <= newest && capability.feature != Some(Feature::Family) && !not_yet
}

/// Where the toolkit is, what stands in for the parts of it that clang expects, and one option for each architecture.
pub(super) fn code_generation(architectures: &[Capability]) -> Vec<Flag> {
    let mut flags = vec![
        Flag::in_build("--cuda-path=", "tc/cuda"),
        Flag::in_build("-B", "tc/cuda-clang/bin"),
        Flag::in_build("-idirafter ", "tc/cuda-clang/include"),
        Flag::plain("-Wno-unknown-cuda-version"),
        // Newer ones spell the names of constrained templates in another way than GCC, with which torch is compiled.
        Flag::plain("-fclang-abi-compat=17"),
        Flag::plain("--no-cuda-include-ptx=all"),
    ];
    for capability in architectures {
        let digits = capability.digits();
        flags.push(Flag::Plain(format!("--cuda-gpu-arch=sm_{digits}")));
        if capability.ptx {
            flags.push(Flag::Plain(format!("--cuda-include-ptx=sm_{digits}")));
        }
    }
    flags
}

/// No lines of sources in code for devices: `ptxas` would write the dates of the sources beside them.
pub(super) fn without_lines() -> Vec<Flag> {
    vec![Flag::plain("-Xarch_device"), Flag::plain("-g0")]
}

/// What becomes of an option of nvcc.
enum Fate {
    /// clang has the same.
    Same(Vec<String>),
    /// clang does so by itself, or it says something about nvcc's own work.
    Needless,
    /// Nothing of clang's does that.
    Lost,
}

/// A component's flags in clang's words, and those that it has no word for. The list was judged before, so what follows an
/// option is there.
pub(super) fn translate(listed: &[Located<String>], text: &SourceText) -> (Vec<Flag>, Vec<Finding>) {
    let (mut flags, mut findings) = (Vec::new(), Vec::new());
    let mut rest = listed.iter();
    while let Some(flag) = rest.next() {
        let (name, given) = parts(&flag.value);
        let given = match given {
            None if FOLLOWED.contains(&name) => rest.next().map_or("", |next| next.value.as_str()),
            given => given.unwrap_or_default(),
        };
        match fate(name, given) {
            Fate::Same(same) => flags.extend(same.into_iter().map(Flag::Plain)),
            Fate::Needless => {}
            Fate::Lost => findings.push(left_out(flag, text)),
        }
        if name == "use_fast_math" && given != "false" {
            let message = "with `--use_fast_math` clang still divides and takes roots exactly, unlike nvcc";
            let finding = Finding::note(&code::build::FLAG_LEFT_OUT, message.to_owned());
            findings.push(finding.at(text.span(flag.bytes.clone())));
        }
    }
    (flags, findings)
}

fn left_out(flag: &Located<String>, text: &SourceText) -> Finding {
    let message = format!("`{}` is left out: only nvcc knows it", flag.value.escape_debug());
    Finding::warning(&code::build::FLAG_LEFT_OUT, message)
        .at(text.span(flag.bytes.clone()))
        .help("for its effect build with CUDA's own compiler, named in `CUDA_HOME`")
}

/// Options whose value is the next element where it is not attached with `=`.
static FOLLOWED: &[&str] = &[
    "D",
    "U",
    "I",
    "define-macro",
    "undefine-macro",
    "include-path",
    "include",
    "pre-include",
    "isystem",
    "system-include",
    "Xcompiler",
    "compiler-options",
    "Xptxas",
    "ptxas-options",
    "Xcudafe",
    "Xfatbin",
    "fatbin-options",
    "std",
    "optimize",
    "maxrregcount",
    "default-stream",
    "diag-suppress",
    "diag-warn",
    "diag-error",
    "Werror",
    "ftemplate-depth",
    "ftemplate-backtrace-limit",
    "threads",
    "t",
    "split-compile",
    "compress-mode",
];

/// An option's name without dashes, and what is attached to it.
fn parts(flag: &str) -> (&str, Option<&str>) {
    let body = flag.strip_prefix("--").or_else(|| flag.strip_prefix('-')).unwrap_or(flag);
    if let Some((name, given)) = body.split_once('=')
        && FOLLOWED.iter().chain(SWITCHES).any(|known| *known == name)
    {
        return (name, Some(given));
    }
    if FOLLOWED.contains(&body) || SWITCHES.contains(&body) || body.is_empty() {
        return (body, None);
    }
    match body.split_at_checked(1) {
        Some((name @ ("D" | "U" | "I"), given)) => (name, Some(given)),
        _ => (body, None),
    }
}

/// Options that may be switched off with `=false`.
static SWITCHES: &[&str] =
    &["use_fast_math", "ftz", "fmad", "prec-div", "prec-sqrt", "static-global-template-stub"];

fn fate(name: &str, given: &str) -> Fate {
    let one = |text: String| Fate::Same(vec![text]);
    let each = |option: &str| {
        let parts = given.split(',').filter(|part| !part.is_empty());
        Fate::Same(parts.flat_map(|part| [option.to_owned(), part.to_owned()]).collect())
    };
    let is_on = given != "false";
    match name {
        "D" | "define-macro" => one(format!("-D{given}")),
        "U" | "undefine-macro" => one(format!("-U{given}")),
        "I" | "include-path" => one(format!("-I{given}")),
        "include" | "pre-include" => Fate::Same(vec!["-include".into(), given.into()]),
        "isystem" | "system-include" => Fate::Same(vec!["-isystem".into(), given.into()]),
        "std" => one(format!("-std={given}")),
        "optimize" => one(format!("-O{given}")),
        "O0" | "O1" | "O2" | "O3" | "g" | "w" => one(format!("-{name}")),
        "disable-warnings" => one("-w".into()),
        "lineinfo" | "generate-line-info" => {
            Fate::Same(vec!["-Xarch_device".into(), "-gline-tables-only".into()])
        }
        "ftemplate-depth" | "ftemplate-backtrace-limit" => one(format!("-{name}={given}")),
        "Xcompiler" | "compiler-options" => each("-Xarch_host"),
        "Xptxas" | "ptxas-options" => each("-Xcuda-ptxas"),
        "maxrregcount" => Fate::Same(vec!["-Xcuda-ptxas".into(), format!("--maxrregcount={given}")]),
        "use_fast_math" if is_on => {
            Fate::Same(vec!["-fgpu-approx-transcendentals".into(), "-fgpu-flush-denormals-to-zero".into()])
        }
        "ftz" if is_on => one("-fgpu-flush-denormals-to-zero".into()),
        "fmad" if !is_on => one("-ffp-contract=off".into()),
        "default-stream" if given == "per-thread" => Fate::Same(vec![
            "-fgpu-default-stream=per-thread".into(),
            "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1".into(),
        ]),
        "prec-div" | "prec-sqrt" if !is_on => Fate::Lost,
        "use_fast_math"
        | "ftz"
        | "fmad"
        | "prec-div"
        | "prec-sqrt"
        | "default-stream"
        | "static-global-template-stub"
        | "expt-relaxed-constexpr"
        | "expt-extended-lambda"
        | "extended-lambda"
        | "threads"
        | "t"
        | "split-compile"
        | "compress-mode"
        | "Xfatbin"
        | "fatbin-options"
        | "Xcudafe"
        | "diag-suppress"
        | "diag-warn"
        | "diag-error"
        | "Werror"
        | "Wreorder"
        | "Wno-deprecated-declarations"
        | "Wno-deprecated-gpu-targets"
        | "Wdefault-stream-launch"
        | "Wmissing-launch-bounds"
        | "Wext-lambda-captures-this"
        | "display-error-number"
        | "no-display-error-number" => Fate::Needless,
        _ => Fate::Lost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(flags: &[&str]) -> (Vec<String>, usize) {
        let located: Vec<Located<String>> =
            flags.iter().map(|flag| Located::new((*flag).to_owned(), 0..0)).collect();
        let (flags, findings) = translate(&located, &SourceText::new("build.toml", ""));
        (flags.iter().map(ToString::to_string).collect(), findings.len())
    }

    #[test]
    fn flags_of_nvcc_are_said_in_clangs_words() {
        for (of_nvcc, of_clang) in [
            (&["-O3", "-std=c++17", "--expt-relaxed-constexpr", "--extended-lambda"][..], "-O3 -std=c++17"),
            (&["-DA=1", "-D", "B", "--define-macro=C", "-UX", "-Iinclude"], "-DA=1 -DB -DC -UX -Iinclude"),
            (&["-DUSE=use_fast_math", "-DX=a=b"], "-DUSE=use_fast_math -DX=a=b"),
            (&["-Xcompiler=-O2,-Wno-psabi"], "-Xarch_host -O2 -Xarch_host -Wno-psabi"),
            (&["-Xptxas", "-v,--warn-on-spills"], "-Xcuda-ptxas -v -Xcuda-ptxas --warn-on-spills"),
            (
                &["-maxrregcount=64", "-lineinfo"],
                "-Xcuda-ptxas --maxrregcount=64 -Xarch_device -gline-tables-only",
            ),
            (
                &["-ftz=true", "-fmad=false", "-prec-div=true"],
                "-fgpu-flush-denormals-to-zero -ffp-contract=off",
            ),
            (&["-diag-suppress", "174", "--threads", "4", "-Xfatbin=-compress-all"], ""),
        ] {
            assert_eq!(translated(of_nvcc), (of_clang.split_whitespace().map(str::to_owned).collect(), 0));
        }
    }

    #[test]
    fn what_clang_has_no_word_for_is_told() {
        for flag in ["-prec-div=false", "-G", "-restrict", "--extra-device-vectorization", "-res-usage"] {
            assert_eq!(translated(&[flag]), (Vec::new(), 1), "{flag}");
        }
        assert_eq!(translated(&["--use_fast_math"]).1, 1);
    }

    #[test]
    fn each_clang_knows_the_architectures_of_its_day() {
        let known = |clang, text: &str| knows(clang, text.parse().expect("a capability"));
        assert!(known(18, "9.0a") && known(19, "8.0") && !known(19, "10.0"));
        assert!(known(20, "10.0a") && known(20, "12.0") && !known(20, "10.3") && !known(20, "12.1"));
        assert!(known(21, "10.3") && known(21, "12.1") && !known(21, "10.0f"));
    }
}
