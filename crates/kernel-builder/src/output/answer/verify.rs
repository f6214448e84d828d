//! Human form of `verify`: one paragraph for each variant.

use kernel_spec::report::{Publisher, Rebuilt, SignerIdentity, TrustState, VerifiedVariant, VerifyReport};

use crate::output::page::{ERROR, Page, TITLE};
use crate::output::problem;

/// Digits of a commit that people compare.
const SHORT: usize = 12;

pub(super) fn render(report: &VerifyReport, page: &mut Page) {
    for variant in &report.variants {
        one(variant, page);
    }
    if let Some(publisher) = &report.publisher {
        page.line(how_loaded(publisher));
    }
    for dependency in &report.depends {
        let verified =
            dependency.variants.iter().filter(|variant| variant.state == TrustState::Verified).count();
        page.add("depends on ").add_in(TITLE, &dependency.kernel);
        page.line(format!(": {verified} of {} variants verified", dependency.variants.len()));
        if let Some(publisher) = &dependency.publisher {
            page.line(format!("  {}", how_loaded(publisher)));
        }
        for finding in &dependency.findings {
            problem::add_finding(page, finding);
        }
    }
    if let Some(file) = &report.authorities {
        page.line(format!("by the authorities of {file}, and not Sigstore's public ones"));
    }
    for finding in &report.findings {
        problem::add_finding(page, finding);
    }
}

fn one(variant: &VerifiedVariant, page: &mut Page) {
    page.add_in(TITLE, &variant.variant).add(": ");
    match variant.state {
        TrustState::Verified => page.add("verified").end(),
        TrustState::NoPolicy => page.add("a sound signature").end(),
        TrustState::Unsigned => page.add_in(ERROR, "not signed").end(),
        TrustState::Refused => page.add_in(ERROR, "refused").end(),
    };
    if let Some(signer) = &variant.signer {
        who(signer, page);
    }
    if let (Some(repository), Some(branch)) = (&variant.repository, &variant.branch) {
        page.line(format!("  for {repository}, branch {branch}"));
    }
    if let (Some(set), Some(serial)) = (&variant.set, variant.serial) {
        page.line(format!("  set {}, number {serial}, {} files", short(set), variant.files));
    }
    match variant.rebuilt {
        None => {}
        Some(Rebuilt::Identical) => drop(page.line("  built again: the same bytes")),
        Some(Rebuilt::IdenticalByOtherToolchain) => {
            page.line("  built again: the same bytes, though with another toolchain");
        }
        Some(Rebuilt::Different) => drop(page.line("  built again: other bytes")),
    }
    for finding in variant.findings.iter().filter(|finding| finding.code.id != "trust/unsigned") {
        problem::add_finding(page, finding);
    }
}

fn how_loaded(publisher: &Publisher) -> String {
    let name = &publisher.name;
    if publisher.trusted {
        format!("the loader trusts {name}")
    } else {
        format!("the loader does not trust {name}: it asks for `trust_remote_code`")
    }
}

fn who(signer: &SignerIdentity, page: &mut Page) {
    page.line(format!("  by {}", signer.subject));
    let commit = signer.commit.as_deref().map(|commit| format!("commit {}", short(commit)));
    let built = signer.r#ref.as_deref().map(|built| format!("of {built}"));
    let trigger = signer.trigger.as_deref().map(|trigger| format!("by {trigger}"));
    let runner = signer.runner.as_deref().map(|runner| format!("on {runner}"));
    let facts: Vec<String> = [commit, built, trigger, runner].into_iter().flatten().collect();
    if !facts.is_empty() {
        page.line(format!("  {}", facts.join(" ")));
    }
    if let (Some(repository), Some(owner)) = (&signer.repository_id, &signer.owner_id) {
        page.line(format!("  repository-id = {repository}, owner-id = {owner}"));
    }
}

fn short(text: &str) -> String {
    text.chars().take(SHORT).collect()
}
