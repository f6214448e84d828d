//! Answer of `sign`.

use schemars::JsonSchema;
use serde::Serialize;

/// What was signed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SignReport {
    /// Who signed, as the certificate says it.
    pub subject: String,
    /// The issuer of the identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The repository it was signed for: `OWNER/NAME`.
    pub repository: String,
    /// The branch there.
    pub branch: String,
    /// What was signed together, by its digest.
    pub set: String,
    /// The set's number: seconds since 1970. A later set of the branch has a higher one.
    pub serial: u64,
    /// The statement about the whole set.
    pub provenance: String,
    /// The variants.
    pub variants: Vec<SignedVariant>,
}

/// One signed variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SignedVariant {
    /// Its name.
    pub variant: String,
    /// The file of its signature.
    pub signature: String,
}
