//! Variants that an upload leaves on its branch. With those that it brings they are one version to everybody who loads it, so
//! they are held against the same rules, and the card speaks of all.

use kernel_hub::hub::{Hub, Repository, Tree};
use kernel_hub::publish::read_listed;
use kernel_spec::finding::Subject;
use kernel_spec::{Finding, Metadata, Severity, Variant, code};

use super::contents::BUILD;
use super::preflight::{self, Allowed, Artifact, refuse};
use crate::digest::METADATA;
use crate::{Result, bounds};

/// What to do about variants that do not belong together.
const HELP: &str = "build all variants from one commit and upload them together (`collect` joins those of several machines); \
    `--prune` removes from the branch what is not in this upload, `--allow-mixed` publishes both together";

/// Whether the variants that stay on a branch belong to those of an upload. What was said of the latter alone is `known`.
pub fn check(
    hub: &Hub,
    repository: &Repository,
    (commit, tree): (&str, &Tree),
    names: &[String],
    (artifacts, allowed, known): (&[Artifact], Allowed, &[Finding]),
) -> Result<Vec<Finding>> {
    let (mut staying, mut findings) = (Vec::new(), Vec::new());
    for name in names {
        let path = format!("{BUILD}{name}/{METADATA}");
        // No loader takes what has no metadata.
        let Some(file) = tree.get(&path) else { continue };
        let read = if file.size > bounds::METADATA {
            Err(format!("they have {} bytes", file.size))
        } else {
            let text = read_listed(hub, repository, commit, (&path, file))?;
            let first =
                |findings: Vec<Finding>| findings.first().map(ToString::to_string).unwrap_or_default();
            Metadata::from_json(&text).map_err(first)
        };
        match read {
            Ok(metadata) => staying.push(metadata),
            Err(reason) => {
                let message = format!("`{name}` stays on the branch, and its metadata cannot be used");
                let subject = Subject { variant: Some(name.clone()), file: Some(path), ..Subject::default() };
                findings.push(
                    Finding::warning(&code::artifact::METADATA, message)
                        .cause(reason)
                        .help("publish that variant again, or remove it with `--prune`")
                        .about(subject),
                );
            }
        }
    }
    let all = artifacts.iter().map(|artifact| &artifact.metadata).chain(&staying);
    let mixed = preflight::together(all, allowed).into_iter();
    let mixed = mixed.filter(|finding| known.iter().all(|known| known.message != finding.message));
    let stays = format!("on the branch stays {}", names.join(", "));
    findings.extend(mixed.map(|finding| finding.cause(stays.clone()).help(HELP)));
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(refuse(findings));
    }
    Ok(findings)
}

/// A card that names the variants that stay, where it does not: it was made of those that were built here.
pub fn in_card(card: &str, names: &[String]) -> String {
    let is_unnamed = |name: &&String| name.parse::<Variant>().is_ok() && !card.contains(&format!("`{name}`"));
    let unnamed: Vec<String> = names.iter().filter(is_unnamed).map(|name| format!("`{name}`")).collect();
    if unnamed.is_empty() {
        return card.to_owned();
    }
    let list = unnamed.join(", ");
    format!(
        "{}\n\n## More variants\n\nPublished earlier, and not described above: {list}.\n",
        card.trim_end()
    )
}
