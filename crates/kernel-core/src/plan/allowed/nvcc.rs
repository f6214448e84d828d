//! Which `cuda-flags` a project may give. nvcc writes its arguments into command lines for a shell, some in quotes and
//! some bare, so besides being harmless a flag must be made of characters that no shell looks at.

use std::collections::BTreeSet;

use kernel_spec::{Finding, Located, SourceText};

use super::{check, confined, refusal};

/// What may follow an option.
#[derive(Clone, Copy)]
enum Value {
    /// Nothing, or `=true` and `=false`.
    Switch,
    /// A word of nvcc's own: a number, a name, a list of them.
    Word,
    /// A path of the project.
    Path,
    /// A macro.
    Macro,
    /// Arguments for a tool behind nvcc, separated by commas.
    For(Tool),
}

/// A tool that nvcc runs.
#[derive(Clone, Copy)]
enum Tool {
    Host,
    Assembler,
    FrontEnd,
    Packer,
}

/// Options by name, without their dashes: nvcc takes one or two before any.
static OPTIONS: &[(&str, Value)] = &[
    ("D", Value::Macro),
    ("U", Value::Macro),
    ("define-macro", Value::Macro),
    ("undefine-macro", Value::Macro),
    ("I", Value::Path),
    ("include-path", Value::Path),
    ("include", Value::Path),
    ("pre-include", Value::Path),
    ("isystem", Value::Path),
    ("system-include", Value::Path),
    ("Xcompiler", Value::For(Tool::Host)),
    ("compiler-options", Value::For(Tool::Host)),
    ("Xptxas", Value::For(Tool::Assembler)),
    ("ptxas-options", Value::For(Tool::Assembler)),
    ("Xcudafe", Value::For(Tool::FrontEnd)),
    ("Xfatbin", Value::For(Tool::Packer)),
    ("fatbin-options", Value::For(Tool::Packer)),
    ("std", Value::Word),
    ("optimize", Value::Word),
    ("maxrregcount", Value::Word),
    ("default-stream", Value::Word),
    ("diag-suppress", Value::Word),
    ("diag-warn", Value::Word),
    ("diag-error", Value::Word),
    ("Werror", Value::Word),
    ("ftemplate-depth", Value::Word),
    ("ftemplate-backtrace-limit", Value::Word),
    ("threads", Value::Word),
    ("t", Value::Word),
    ("split-compile", Value::Word),
    ("compress-mode", Value::Word),
    ("O0", Value::Switch),
    ("O1", Value::Switch),
    ("O2", Value::Switch),
    ("O3", Value::Switch),
    ("g", Value::Switch),
    ("G", Value::Switch),
    ("device-debug", Value::Switch),
    ("w", Value::Switch),
    ("disable-warnings", Value::Switch),
    ("lineinfo", Value::Switch),
    ("generate-line-info", Value::Switch),
    ("source-in-ptx", Value::Switch),
    ("res-usage", Value::Switch),
    ("resource-usage", Value::Switch),
    ("restrict", Value::Switch),
    ("use_fast_math", Value::Switch),
    ("ftz", Value::Switch),
    ("fmad", Value::Switch),
    ("prec-div", Value::Switch),
    ("prec-sqrt", Value::Switch),
    ("extra-device-vectorization", Value::Switch),
    ("expt-relaxed-constexpr", Value::Switch),
    ("expt-extended-lambda", Value::Switch),
    ("extended-lambda", Value::Switch),
    ("static-global-template-stub", Value::Switch),
    ("Wreorder", Value::Switch),
    ("Wno-deprecated-declarations", Value::Switch),
    ("Wno-deprecated-gpu-targets", Value::Switch),
    ("Wdefault-stream-launch", Value::Switch),
    ("Wmissing-launch-bounds", Value::Switch),
    ("Wext-lambda-captures-this", Value::Switch),
    ("display-error-number", Value::Switch),
    ("no-display-error-number", Value::Switch),
];

/// Options that a project may well want, and why it cannot have them.
static REASONS: &[(&[&str], &str)] = &[
    (
        &["gencode", "generate-code", "arch", "gpu-architecture", "code", "gpu-code"],
        "the architectures come from `cuda-capabilities`, and the metadata promises exactly those",
    ),
    (
        &["rdc", "relocatable-device-code", "dc", "device-c", "dlink", "device-link", "dlto"],
        "relocatable device code needs a device link, which the build has no step for",
    ),
];

/// Names of options that each tool may be given, up to `=`.
fn accepts(tool: Tool) -> &'static [&'static str] {
    match tool {
        Tool::Host => &[],
        Tool::Assembler => &[
            "O0",
            "O1",
            "O2",
            "O3",
            "v",
            "w",
            "lineinfo",
            "verbose",
            "opt-level",
            "dlcm",
            "dscm",
            "maxrregcount",
            "def-load-cache",
            "def-store-cache",
            "allow-expensive-optimizations",
            "fmad",
            "register-usage-level",
            "disable-optimizer-constants",
            "generate-line-info",
            "device-debug",
            "suppress-debug-info",
            "suppress-stack-size-warning",
            "suppress-double-demote-warning",
            "warn-on-double-precision-use",
            "warn-on-local-memory-usage",
            "warn-on-spills",
            "warning-as-error",
            "Werror",
        ],
        Tool::FrontEnd => {
            &["diag_suppress", "diag_warning", "diag_error", "diag_remark", "display_error_number"]
        }
        Tool::Packer => &["compress-all", "compress-mode", "compress"],
    }
}

/// Judges one list of `cuda-flags`; the answer names every refused element.
pub fn judge(flags: &[Located<String>], allowed: &BTreeSet<String>, text: &SourceText) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        if allowed.contains(&flag.value) {
            continue;
        }
        let takes_next = bare(&flag.value).and_then(value).filter(|kind| !matches!(kind, Value::Switch));
        let refused = match takes_next {
            None => one(&flag.value).err().map(|reason| (flag, reason)),
            Some(kind) => match rest.next() {
                Some(next) if allowed.contains(&next.value) => None,
                Some(next) => fits(kind, &next.value).err().map(|reason| (next, reason)),
                None => Some((flag, "a value must follow it".to_owned())),
            },
        };
        if let Some((element, reason)) = refused {
            findings.push(refusal(element, reason).at(text.span(element.bytes.clone())));
        }
    }
    findings
}

/// Why a text of the project cannot be handed to nvcc between quotes.
pub fn quotable(text: &str) -> Result<(), String> {
    match text.chars().find(|c| matches!(c, '"' | '$' | '`' | '\\') || c.is_control()) {
        Some(c) => Err(format!("nvcc hands it to a shell, which gives `{}` a meaning", c.escape_debug())),
        None => Ok(()),
    }
}

/// The name of an option that stands alone.
fn bare(flag: &str) -> Option<&str> {
    flag.strip_prefix("--").or_else(|| flag.strip_prefix('-')).filter(|name| !name.contains('='))
}

fn value(name: &str) -> Option<Value> {
    OPTIONS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// An element that carries its value, if it has any.
fn one(flag: &str) -> Result<(), String> {
    let unknown =
        || Err("it is not among the flags of nvcc that only change how code is generated".to_owned());
    let Some(body) = flag.strip_prefix("--").or_else(|| flag.strip_prefix('-')) else { return unknown() };
    let (name, given) = body.split_once('=').map_or((body, None), |(name, given)| (name, Some(given)));
    if let Some((_, reason)) = REASONS.iter().find(|(names, _)| names.contains(&name)) {
        return Err((*reason).to_owned());
    }
    // `-DNAME=value` and `-Idirectory` have no sign between the option and what follows.
    for (short, kind) in [("D", Value::Macro), ("U", Value::Macro), ("I", Value::Path)] {
        if let (Some(rest), None) = (body.strip_prefix(short).filter(|rest| !rest.is_empty()), value(name)) {
            return fits(kind, rest);
        }
    }
    match (value(name), given) {
        (Some(Value::Switch), None | Some("true" | "false")) => Ok(()),
        (Some(kind), Some(given)) if !matches!(kind, Value::Switch) => fits(kind, given),
        _ => unknown(),
    }
}

fn fits(kind: Value, given: &str) -> Result<(), String> {
    match kind {
        Value::Switch => Err("it takes no value".to_owned()),
        Value::Path => confined(given).and_then(|()| quotable(given)),
        Value::Macro if given.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => quotable(given),
        Value::Macro => Err("a macro name must follow".to_owned()),
        Value::Word => plain(given),
        Value::For(tool) => {
            plain(given).and_then(|()| given.split(',').try_for_each(|part| behind(tool, part)))
        }
    }
}

/// nvcc writes these into its command lines without quotes.
fn plain(text: &str) -> Result<(), String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=+:,".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        return Ok(());
    }
    Err("nvcc hands it to a shell, and it holds more than letters, digits and `-_./=+:,`".to_owned())
}

fn behind(tool: Tool, part: &str) -> Result<(), String> {
    if matches!(tool, Tool::Host) {
        return check(part);
    }
    let name = part.trim_start_matches('-').split('=').next().unwrap_or_default();
    // A number may be the value of the argument before it.
    let number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if number || (part.starts_with('-') && accepts(tool).contains(&name)) {
        return Ok(());
    }
    Err(format!("`{part}` is not among the options that may be passed on"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(flags: &[&str]) -> Vec<String> {
        let located: Vec<Located<String>> =
            flags.iter().map(|flag| Located::new((*flag).to_owned(), 0..0)).collect();
        let findings = judge(&located, &BTreeSet::new(), &SourceText::new("build.toml", ""));
        findings.into_iter().map(|finding| finding.causes.join(" ")).collect()
    }

    #[test]
    fn flags_of_real_kernels_pass() {
        for flags in [
            &["-O3", "-std=c++17", "--use_fast_math", "--expt-relaxed-constexpr", "--expt-extended-lambda"][..],
            &["-U__CUDA_NO_HALF_OPERATORS__", "-DEXECMODE=0", "-DNAME=a b", "--extended-lambda"],
            &[
                "--ftemplate-backtrace-limit=0",
                "-diag-suppress=174",
                "-diag-suppress",
                "174,177",
                "--threads=1",
            ],
            &[
                "-Xptxas=-v",
                "-Xptxas",
                "-O3,-dlcm=ca",
                "--ptxas-options=--verbose,--warn-on-local-memory-usage",
            ],
            &["-Xfatbin=-compress-all", "-Xcudafe", "--diag_suppress=20012", "-res-usage", "-lineinfo"],
            &["-Xcompiler=-fno-strict-aliasing,-Wno-psabi", "-Xcompiler", "-O2", "-Iinclude", "-I", "a/b"],
            &[
                "-static-global-template-stub=false",
                "--extra-device-vectorization",
                "-ftz=true",
                "-fmad=false",
            ],
            &[
                "-maxrregcount=64",
                "-maxrregcount",
                "64",
                "-include",
                "config.h",
                "-Wno-deprecated-declarations",
            ],
        ] {
            assert!(refused(flags).is_empty(), "{flags:?}: {:?}", refused(flags));
        }
    }

    #[test]
    fn what_reaches_a_shell_or_a_file_is_refused() {
        for flag in [
            "-DX=$(touch x)",
            "-DX=`touch x`",
            "-DX=\"a\"",
            "-UX$(touch x)",
            "-Ia$(touch x)",
            "-Xptxas=-v;touch x",
            "-Xptxas=-o,x",
            "-Xcudafe=--gen_c_file_name=x",
            "-Xfatbin=--create=x",
            "-Xcompiler=-fplugin=x.so",
            "-Xcompiler=-DX=;touch",
            "-Xcompiler=-I/etc",
            "-Xlinker=-rpath",
            "-ccbin=x",
            "--compiler-bindir=x",
            "-o=x",
            "-optf=x",
            "--options-file=x",
            "-keep",
            "--keep-dir=x",
            "-run",
            "-I/usr/include",
            "-I../x",
            "-include=/etc/passwd",
            "-gencode=arch=compute_90,code=sm_90",
            "-arch=sm_90",
            "-rdc=true",
            "-dc",
            "-D",
            "-ldir",
            "kernel.cu",
            "@file",
            "-use_fast_math=maybe",
            "-maxrregcount=1;touch",
            "",
        ] {
            assert_eq!(refused(&[flag]).len(), 1, "{flag}");
        }
        assert!(refused(&["-arch=sm_90"])[0].contains("cuda-capabilities"));
    }
}
