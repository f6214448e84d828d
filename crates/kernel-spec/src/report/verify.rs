//! Answer of `verify`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::unread;
use crate::{ExitClass, Finding, Severity};

/// Who signed the variants, and whether that counts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerifyReport {
    /// Whether there was a policy to judge signers by.
    pub policy: bool,
    /// The file of the authorities that were trusted; absent for Sigstore's public ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorities: Option<String>,
    /// Each variant, by name.
    pub variants: Vec<VerifiedVariant>,
    /// Who publishes it on the Hub; absent for a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<Publisher>,
    /// The kernels that it loads, directly or through others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends: Vec<VerifiedDependency>,
    /// What is wrong with all of them together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// A publisher, as the loader sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Publisher {
    /// The name on the Hub.
    pub name: String,
    /// Whether the loader loads its kernels without `trust_remote_code`.
    pub trusted: bool,
}

/// A kernel that another loads.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerifiedDependency {
    /// `OWNER/NAME@REV`.
    pub kernel: String,
    /// Its publisher; absent where it was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<Publisher>,
    /// Its variants, by name.
    pub variants: Vec<VerifiedVariant>,
    /// What is wrong with all of them together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// How one variant stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerifiedVariant {
    /// Its name.
    pub variant: String,
    /// The result.
    pub state: TrustState,
    /// Who signed it; absent where no signature is sound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer: Option<SignerIdentity>,
    /// Where it was signed for: `OWNER/NAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The branch there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What it was signed together with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// The set's number: seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial: Option<u64>,
    /// When the log took the signature, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logged_at: Option<u64>,
    /// Files that the digest covers, all of which are as signed where the state is not `refused`.
    pub files: usize,
    /// What building it again gave; absent where it was not built again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebuilt: Option<Rebuilt>,
    /// What is wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// What building a variant again gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rebuilt {
    /// The same bytes, with the same toolchain.
    Identical,
    /// The same bytes, with another toolchain.
    IdenticalByOtherToolchain,
    /// Other bytes.
    Different,
}

/// Whether a variant can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrustState {
    /// Everything is as a signer whom the policy allows has signed it.
    Verified,
    /// Everything is as somebody has signed it, and there is no policy that says whether that counts.
    NoPolicy,
    /// There is no signature.
    Unsigned,
    /// Something is wrong.
    Refused,
}

/// Who signed, as the certificate says it: claims that the certificate authority copied from an identity token. What it
/// does not say is absent; a person's has an e-mail address and an issuer only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SignerIdentity {
    /// The address of a workflow at a ref, or of a person.
    pub subject: String,
    /// The issuer of the identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The workflow that signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// The workflow that was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// The repository that was built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository_id: Option<String>,
    /// The number of its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<String>,
    /// The ref that was built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<String>,
    /// The commit that was built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The event that started the workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The kind of machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// The run itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

impl VerifyReport {
    /// What is refused or unsigned fails; what nobody demanded anything of is not verified.
    pub fn exit(&self) -> ExitClass {
        let any = |state| self.variants.iter().any(|variant| variant.state == state);
        let wrong = self.findings.iter().any(|finding| finding.severity == Severity::Error);
        let findings = self.variants.iter().flat_map(|variant| &variant.findings).chain(&self.findings);
        if unread(findings).is_some() {
            ExitClass::Unreadable
        } else if wrong || any(TrustState::Refused) || any(TrustState::Unsigned) {
            ExitClass::Check
        } else if any(TrustState::NoPolicy) || self.variants.is_empty() {
            ExitClass::NothingVerified
        } else {
            ExitClass::Success
        }
    }
}
