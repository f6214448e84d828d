//! Who may sign. A policy names one workflow of one repository, by the numbers that a rename, a transfer or a look-alike
//! cannot take along; what it does not name has a safe default, never "anything".

use kernel_spec::report::SignerIdentity;
use kernel_spec::{Code, code};
use serde::Deserialize;

use crate::TrustError;

/// The issuer of the tokens of GitHub's workflows.
const GITHUB: &str = "https://token.actions.githubusercontent.com";

/// Events that only those start who may write to the repository. A pull request may be anybody's.
const TRIGGERS: [&str; 4] = ["push", "release", "schedule", "workflow_dispatch"];

/// A policy, as its file has it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Policy {
    /// The issuer of the signer's identity token; GitHub's where not given.
    #[serde(default = "github")]
    issuer: String,
    /// The number of the repository that is built.
    repository_id: u64,
    /// The number of its owner.
    owner_id: u64,
    /// The workflow that signs, with its ref: `https://github.com/OWNER/NAME/.github/workflows/FILE@refs/heads/main`.
    workflow: String,
    /// The workflow that starts it, where the one that signs is a reusable one; else they are the same.
    #[serde(default)]
    caller: Option<String>,
    /// The ref that is built, as `refs/heads/main`.
    #[serde(rename = "ref")]
    built_ref: String,
    /// The events that may start it.
    #[serde(default = "triggers")]
    triggers: Vec<String>,
    /// The machines that may run it: `github-hosted` or `self-hosted`.
    #[serde(default = "hosted")]
    runner: String,
    /// The repositories of the Hub that it may sign for, as `OWNER/NAME` or `OWNER/*`; any where it is left out.
    #[serde(default)]
    publishes: Option<Vec<String>>,
}

fn github() -> String {
    GITHUB.to_owned()
}

fn triggers() -> Vec<String> {
    TRIGGERS.map(str::to_owned).to_vec()
}

fn hosted() -> String {
    "github-hosted".to_owned()
}

/// A claim of a signer that is not what the policy demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Which claim, as a code.
    pub code: &'static Code,
    /// What the certificate says against what is demanded.
    pub message: String,
}

impl Policy {
    /// The ref whose history holds what may be built.
    pub fn built_ref(&self) -> &str {
        &self.built_ref
    }

    /// Whether it may sign for a repository of the Hub.
    pub fn publishes(&self, repository: &str) -> bool {
        let owner = repository.split('/').next();
        let is_it = |named: &String| named == repository || named.strip_suffix("/*") == owner;
        self.publishes.as_ref().is_none_or(|named| named.iter().any(is_it))
    }

    /// Whether it lets its signer publish some repositories alone.
    pub fn names_repositories(&self) -> bool {
        self.publishes.is_some()
    }

    /// Whether it names an owner of the Hub as meant.
    pub fn names_owner(&self, owner: &str) -> bool {
        self.publishes.iter().flatten().any(|named| named.split('/').next() == Some(owner))
    }

    /// Reads a policy's TOML.
    pub fn from_toml(text: &str) -> Result<Self, TrustError> {
        let wrong = |reason: &str| TrustError::Policy { reason: reason.to_owned() };
        let table: toml::Table = toml::from_str(text).map_err(|error| wrong(error.message()))?;
        if table.is_empty() {
            return Err(TrustError::NoPolicy);
        }
        let policy: Self = table.try_into().map_err(|error: toml::de::Error| wrong(error.message()))?;
        match policy.nameless() {
            Some(key) => Err(wrong(&format!("`{key}` is empty, and so names nobody"))),
            None => Ok(policy),
        }
    }

    /// A key with nothing in it: an empty list would be read as "any", or as "none", and neither is said.
    fn nameless(&self) -> Option<&'static str> {
        let texts = [
            ("issuer", Some(&self.issuer)),
            ("workflow", Some(&self.workflow)),
            ("caller", self.caller.as_ref()),
            ("ref", Some(&self.built_ref)),
            ("runner", Some(&self.runner)),
        ];
        let lists = [("triggers", Some(&self.triggers)), ("publishes", self.publishes.as_ref())];
        let is_empty = |text: &String| text.trim().is_empty();
        let empty = texts.iter().find(|(_, text)| text.is_some_and(is_empty)).map(|(key, _)| *key);
        let all_empty = |list: &Vec<String>| list.iter().all(is_empty);
        empty.or_else(|| lists.iter().find(|(_, list)| list.is_some_and(all_empty)).map(|(key, _)| *key))
    }

    /// Everything about a signer that the policy does not allow; nothing where the signer may sign. A claim that the
    /// certificate does not make is never allowed.
    pub fn check(&self, signer: &SignerIdentity) -> Vec<Mismatch> {
        let mut mismatches = Vec::new();
        let mut demand = |code: &'static Code, what: &str, found: Option<&str>, wanted: &[&str]| {
            if found.is_some_and(|found| wanted.contains(&found)) {
                return;
            }
            let found = found.map_or_else(|| "no".to_owned(), |found| format!("`{found}` as"));
            let wanted = wanted.iter().map(|wanted| format!("`{wanted}`")).collect::<Vec<_>>().join(" or ");
            let message = format!("the certificate names {found} {what}; the policy demands {wanted}");
            mismatches.push(Mismatch { code, message });
        };
        let (repository, owner) = (self.repository_id.to_string(), self.owner_id.to_string());
        let triggers: Vec<&str> = self.triggers.iter().map(String::as_str).collect();
        let caller = self.caller.as_deref().unwrap_or(&self.workflow);
        demand(&code::trust::ISSUER, "issuer", signer.issuer.as_deref(), &[&self.issuer]);
        let source = signer.repository_id.as_deref();
        demand(&code::trust::REPOSITORY, "number of the repository", source, &[&repository]);
        demand(&code::trust::REPOSITORY, "number of the owner", signer.owner_id.as_deref(), &[&owner]);
        // The subject is derived from the workflow; both are looked at, because either alone is one extension of many.
        demand(&code::trust::WORKFLOW, "workflow", signer.workflow.as_deref(), &[&self.workflow]);
        demand(&code::trust::WORKFLOW, "subject", Some(&signer.subject), &[&self.workflow]);
        demand(&code::trust::WORKFLOW, "calling workflow", signer.caller.as_deref(), &[caller]);
        demand(&code::trust::REF, "ref", signer.r#ref.as_deref(), &[&self.built_ref]);
        demand(&code::trust::TRIGGER, "trigger", signer.trigger.as_deref(), &triggers);
        demand(&code::trust::RUNNER, "kind of machine", signer.runner.as_deref(), &[&self.runner]);
        mismatches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKFLOW: &str = "https://github.com/acme/kernels/.github/workflows/publish.yaml@refs/heads/main";

    fn signer() -> SignerIdentity {
        SignerIdentity {
            subject: WORKFLOW.to_owned(),
            issuer: Some(GITHUB.to_owned()),
            workflow: Some(WORKFLOW.to_owned()),
            caller: Some(WORKFLOW.to_owned()),
            repository: Some("https://github.com/acme/kernels".to_owned()),
            repository_id: Some("101".to_owned()),
            owner_id: Some("7".to_owned()),
            r#ref: Some("refs/heads/main".to_owned()),
            commit: Some("0".repeat(40)),
            trigger: Some("push".to_owned()),
            runner: Some("github-hosted".to_owned()),
            run: None,
        }
    }

    fn policy(more: &str) -> Policy {
        let text = format!(
            "repository-id = 101\nowner-id = 7\nworkflow = \"{WORKFLOW}\"\nref = \"refs/heads/main\"\n{more}"
        );
        Policy::from_toml(&text).expect("a policy")
    }

    #[test]
    fn every_claim_is_demanded_and_none_may_be_absent() {
        assert_eq!(policy("").check(&signer()), []);
        let other = Some("other".to_owned());
        for absent in [None, other] {
            let cases: [(&Code, SignerIdentity); 8] = [
                (&code::trust::ISSUER, SignerIdentity { issuer: absent.clone(), ..signer() }),
                (&code::trust::REPOSITORY, SignerIdentity { repository_id: absent.clone(), ..signer() }),
                (&code::trust::REPOSITORY, SignerIdentity { owner_id: absent.clone(), ..signer() }),
                (&code::trust::WORKFLOW, SignerIdentity { workflow: absent.clone(), ..signer() }),
                (&code::trust::WORKFLOW, SignerIdentity { caller: absent.clone(), ..signer() }),
                (&code::trust::REF, SignerIdentity { r#ref: absent.clone(), ..signer() }),
                (&code::trust::TRIGGER, SignerIdentity { trigger: absent.clone(), ..signer() }),
                (&code::trust::RUNNER, SignerIdentity { runner: absent.clone(), ..signer() }),
            ];
            for (code, signer) in cases {
                let found: Vec<&Code> =
                    policy("").check(&signer).iter().map(|mismatch| mismatch.code).collect();
                assert_eq!(found, [code], "{signer:?}");
            }
        }
        let subject = SignerIdentity { subject: String::new(), ..signer() };
        assert_eq!(policy("").check(&subject).len(), 1);
    }

    #[test]
    fn a_pull_request_is_no_trigger_unless_it_is_named() {
        let signer = SignerIdentity { trigger: Some("pull_request_target".to_owned()), ..signer() };
        assert_eq!(policy("").check(&signer).len(), 1);
        assert_eq!(policy("triggers = [\"pull_request_target\"]").check(&signer), []);
    }

    #[test]
    fn a_reusable_workflow_has_another_caller() {
        let mine = "https://github.com/acme/kernels/.github/workflows/ci.yaml@refs/heads/main";
        let signer = SignerIdentity { caller: Some(mine.to_owned()), ..signer() };
        assert_eq!(policy("").check(&signer).len(), 1);
        assert_eq!(policy(&format!("caller = \"{mine}\"")).check(&signer), []);
    }

    #[test]
    fn a_policy_may_name_what_is_published() {
        assert!(policy("").publishes("acme/demo") && !policy("").names_owner("acme"));
        let named = policy("publishes = [\"acme/demo\", \"kernels/*\"]");
        assert!(named.publishes("acme/demo") && named.publishes("kernels/any"));
        assert!(
            !named.publishes("acme/other") && !named.publishes("kernels2/any") && !named.publishes("acme/*")
        );
        assert!(named.names_owner("acme") && named.names_owner("kernels") && !named.names_owner("kernel"));
    }

    #[test]
    fn a_policy_that_says_too_little_or_something_unknown_is_refused() {
        for text in ["repository-id = 1", "repository = \"acme/kernels\""] {
            let refused = Policy::from_toml(text);
            assert!(matches!(refused, Err(TrustError::Policy { .. })), "{text}: {refused:?}");
        }
        for text in ["", "# nothing yet\n"] {
            assert!(matches!(Policy::from_toml(text), Err(TrustError::NoPolicy)), "{text}");
        }
        for empty in
            ["publishes = []", "triggers = []", "issuer = \"\"", "caller = \" \"", "publishes = [\"\"]"]
        {
            let text = format!(
                "repository-id = 101\nowner-id = 7\nworkflow = \"{WORKFLOW}\"\nref = \"refs/heads/main\"\n{empty}"
            );
            let refused = Policy::from_toml(&text);
            assert!(matches!(refused, Err(TrustError::Policy { .. })), "{empty}: {refused:?}");
        }
    }
}
