//! What a kernel depends on. The loader fetches and runs that as well, so it is verified like the kernel itself: by the
//! kernel's policy, or by one that the user gives for dependencies.

use std::collections::{BTreeSet, VecDeque};

use kernel_spec::manifest::KernelDependency;
use kernel_spec::report::{Publisher, TrustState, VerifiedDependency};
use kernel_spec::{Finding, Severity, code};
use kernel_trust::Policy;

use super::{Base, Examined, Judge, Subject, finished, names};
use crate::published::{MOST_TOGETHER, Reference, Snapshot};
use crate::verbs::variants::is_absent;
use crate::{Context, Result};

/// A kernel that is still to be looked at, and who depends on it.
type Open = VecDeque<(String, KernelDependency)>;

/// Verifies everything that `examined` depend on; `from` is the kernel that they are of.
pub(super) fn walk(
    context: &Context,
    base: &Base<'_>,
    policies: &[Policy],
    (from, examined): (&str, &[Examined]),
    findings: &mut Vec<Finding>,
) -> Result<Vec<VerifiedDependency>> {
    let mut open: Open = depends(from, examined);
    let mut known = BTreeSet::from([from.to_owned()]);
    let mut verified = Vec::new();
    if context.offline && !open.is_empty() {
        let message = "what the kernel depends on was not looked at: `--offline`";
        let names: BTreeSet<&str> = open.iter().map(|(_, dependency)| dependency.repo_id.as_str()).collect();
        let help = "run the same command without `--offline`: loaders fetch and run these kernels too";
        let finding = Finding::warning(&code::trust::DEPENDENCY, message).help(help);
        findings.push(names.into_iter().fold(finding, Finding::cause));
        return Ok(verified);
    }
    while let Some((by, dependency)) = open.pop_front() {
        let wrong = |message: String| Finding::error(&code::trust::DEPENDENCY, message);
        let Some(reference) = Reference::of_dependency(&dependency) else {
            findings
                .push(wrong(format!("`{by}` depends on `{}`, which names no kernel", dependency.repo_id)));
            continue;
        };
        let name = reference.to_string();
        if !known.insert(name.clone()) {
            continue;
        }
        if known.len() > MOST_TOGETHER {
            findings.push(wrong(format!("more than {MOST_TOGETHER} kernels hang together")));
            break;
        }
        let (subject, snapshot) = match Subject::fetch(context, reference) {
            Ok(fetched) => fetched,
            Err(error) if is_absent(&error) => {
                let finding = wrong(format!("`{by}` depends on `{name}`, which cannot be had"));
                findings.push(finding.cause(error.to_string()));
                continue;
            }
            Err(error) => return Err(error),
        };
        let look_alike = names::look_alike(context, &snapshot.reference.owner, policies)?;
        let known = look_alike.into_iter().chain(snapshot.elsewhere()).collect();
        let (found, own) = one(context, base, policies, &subject, known)?;
        open.extend(depends(&name, &found));
        let publisher = Some(publisher(&snapshot)?);
        let with_policy = !policies.is_empty();
        let variants: Vec<_> =
            found.into_iter().map(|examined| finished(examined.result, with_policy)).collect();
        let unsound = variants
            .iter()
            .filter(|variant| matches!(variant.state, TrustState::Refused | TrustState::Unsigned));
        let mut causes: Vec<String> = unsound
            .flat_map(|variant| &variant.findings)
            .chain(own.iter().filter(|finding| finding.severity == Severity::Error))
            .map(|finding| format!("{}: {}", finding.code.id, finding.message))
            .collect();
        causes.dedup();
        if !causes.is_empty() {
            let finding = wrong(format!("`{by}` depends on `{name}`, which is not verified"));
            findings.push(causes.into_iter().fold(finding, Finding::cause));
        }
        verified.push(VerifiedDependency { kernel: name, publisher, variants, findings: own });
    }
    Ok(verified)
}

/// Who publishes what was fetched, as the loader sees it.
pub(super) fn publisher(snapshot: &Snapshot) -> Result<Publisher> {
    Ok(Publisher { name: snapshot.reference.owner.clone(), trusted: snapshot.is_trusted()? })
}

/// Everything about one dependency; `known` is what is known against it already.
fn one(
    context: &Context,
    base: &Base<'_>,
    policies: &[Policy],
    subject: &Subject,
    known: Vec<Finding>,
) -> Result<(Vec<Examined>, Vec<Finding>)> {
    let judge =
        Judge { base, policies, repository: subject.repository.clone(), branch: subject.branch.clone() };
    let examined = judge.examine(context, &subject.directory)?;
    let mut findings = judge.together(&examined);
    // Before the comparison: what is refused is not remembered.
    findings.extend(known);
    if !policies.is_empty() && !subject.is_pinned {
        super::compare_with_seen(context, base.options, &examined, &mut findings)?;
    }
    Ok((examined, findings))
}

/// What sound metadata say that their kernel loads, each once.
fn depends(from: &str, examined: &[Examined]) -> Open {
    let metadata = examined.iter().filter_map(|examined| examined.metadata.as_ref());
    let depends: BTreeSet<&KernelDependency> =
        metadata.flat_map(|metadata| &metadata.kernel_depends).collect();
    depends.into_iter().map(|dependency| (from.to_owned(), dependency.clone())).collect()
}
