//! What the oldest supported Python lacks: syntax by which the whole file fails to load there, and parts of the standard
//! library that are imported unconditionally.

use kernel_spec::Finding;
use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use ruff_python_ast::PythonVersion;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};

use super::names::imported;
use super::{PythonSource, compiles};

/// The oldest Python that kernels support unless they say otherwise.
const OLDEST: PythonVersion = PythonVersion::PY39;

/// The oldest Python of the oldest Torch that variants are built for (`Requires-Python` of 2.11): newer parts than this
/// break somebody's kernel, older ones only the general promise.
const OF_TORCH: PythonVersion = PythonVersion::PY310;

/// Since which Python a part of the standard library is there (What's New in Python 3.10 to 3.14).
const SINCE: &[(PythonVersion, &[&str])] = &[
    (
        PythonVersion::PY310,
        &[
            "itertools.pairwise",
            "types.EllipsisType",
            "types.NoneType",
            "types.UnionType",
            "typing.Concatenate",
            "typing.ParamSpec",
            "typing.TypeAlias",
            "typing.TypeGuard",
        ],
    ),
    (
        PythonVersion::PY311,
        &[
            "contextlib.chdir",
            "datetime.UTC",
            "enum.ReprEnum",
            "enum.StrEnum",
            "tomllib",
            "typing.LiteralString",
            "typing.Never",
            "typing.NotRequired",
            "typing.Required",
            "typing.Self",
            "typing.TypeVarTuple",
            "typing.Unpack",
            "typing.assert_never",
            "typing.assert_type",
            "typing.dataclass_transform",
            "typing.reveal_type",
        ],
    ),
    (PythonVersion::PY312, &["itertools.batched", "typing.TypeAliasType", "typing.override"]),
    (
        PythonVersion::PY313,
        &["copy.replace", "typing.NoDefault", "typing.ReadOnly", "typing.TypeIs", "warnings.deprecated"],
    ),
    (
        PythonVersion::PY314,
        &["annotationlib", "compression", "concurrent.interpreters", "string.templatelib"],
    ),
];

/// Syntax that the oldest Python does not have.
struct Newer {
    /// The first Python that has all of it; `None` where none has.
    since: Option<PythonVersion>,
    range: TextRange,
    reason: String,
}

/// What of a file's syntax the oldest Python lacks.
fn newer(source: &PythonSource) -> Option<Newer> {
    let text = source.text.text();
    let lacking = |version: PythonVersion| {
        let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module).with_target_version(version));
        let unknown = parsed.unsupported_syntax_errors().iter();
        let unknown = unknown.map(|error| (error.range(), error.to_string()));
        let refused = compiles::refusal(&source.module, text, version);
        unknown.chain(refused).min_by_key(|(range, _)| range.start())
    };
    let (range, reason) = lacking(OLDEST)?;
    let later = PythonVersion::iter().filter(|version| *version > OLDEST);
    let since = later.into_iter().find(|version| lacking(*version).is_none());
    Some(Newer { since, range, reason })
}

/// At most one finding about the syntax of a file, and one for each import.
pub(super) fn check(source: &PythonSource) -> Vec<Finding> {
    let about = |finding: Finding, range: TextRange| {
        let subject = Subject { file: Some(source.path().to_owned()), ..Subject::default() };
        finding.at(source.span(&range)).about(subject)
    };
    let path = source.path();
    let mut findings = Vec::new();
    if let Some(newer) = newer(source) {
        let since =
            newer.since.map_or_else(|| "another Python".to_owned(), |since| format!("Python {since}"));
        let message =
            format!("`{path}` has syntax of {since}, and kernels support Python {OLDEST} and newer");
        findings.push(about(finding(newer.since, message).cause(newer.reason), newer.range));
    }
    for statement in source.body() {
        for (_, path) in imported(statement) {
            let is = |part: &&str| {
                path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let row = SINCE.iter().find(|(_, parts)| parts.iter().any(is));
            let Some((since, _)) = row else { continue };
            let message =
                format!("`{path}` is new in Python {since}, and kernels support Python {OLDEST} and newer");
            findings.push(about(finding(Some(*since), message), statement.range()));
        }
    }
    findings
}

fn finding(since: Option<PythonVersion>, message: String) -> Finding {
    let breaks = since.is_none_or(|since| since > OF_TORCH);
    let make = if breaks { Finding::error } else { Finding::warning };
    make(&python::TOO_NEW, message)
}
