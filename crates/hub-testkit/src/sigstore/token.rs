//! Identity tokens of workflows, as GitHub makes them out; and what a certificate says of one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::now;

fn github() -> String {
    "https://github.com".to_owned()
}

/// A run of a workflow; the defaults are those of a push to `main` of one repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are those of the claims")]
pub struct Workflow {
    /// Where repositories are; no claim of a token, but of a certificate.
    #[serde(default = "github")]
    pub server: String,
    pub iss: String,
    pub aud: String,
    pub repository: String,
    pub repository_id: String,
    pub repository_owner_id: String,
    pub workflow_ref: String,
    pub job_workflow_ref: String,
    #[serde(rename = "ref")]
    pub built_ref: String,
    pub sha: String,
    pub event_name: String,
    pub runner_environment: String,
    pub run_id: String,
}

impl Default for Workflow {
    fn default() -> Self {
        let workflow = "acme/kernels/.github/workflows/publish.yaml@refs/heads/main";
        Self {
            server: github(),
            iss: "https://token.actions.githubusercontent.com".to_owned(),
            aud: "sigstore".to_owned(),
            repository: "acme/kernels".to_owned(),
            repository_id: "101".to_owned(),
            repository_owner_id: "7".to_owned(),
            workflow_ref: workflow.to_owned(),
            job_workflow_ref: workflow.to_owned(),
            built_ref: "refs/heads/main".to_owned(),
            sha: "0123456789abcdef0123456789abcdef01234567".to_owned(),
            event_name: "push".to_owned(),
            runner_environment: "github-hosted".to_owned(),
            run_id: "1".to_owned(),
        }
    }
}

impl Workflow {
    /// Its token.
    pub fn token(&self) -> String {
        let mut claims = serde_json::json!(self);
        claims["sub"] = format!("repo:{}:ref:{}", self.repository, self.built_ref).into();
        claims["iat"] = now().into();
        claims["nbf"] = now().into();
        claims["exp"] = (now() + 600).into();
        let part = |text: String| URL_SAFE_NO_PAD.encode(text);
        format!(
            "{}.{}.{}",
            part(r#"{"alg":"none"}"#.to_owned()),
            part(claims.to_string()),
            part("none".to_owned())
        )
    }

    /// The run that a token is of, and the token's subject.
    pub(crate) fn of_token(token: &str) -> Option<(Self, String)> {
        let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
        let claims: serde_json::Value = serde_json::from_slice(&claims).ok()?;
        let subject = claims["sub"].as_str()?.to_owned();
        Some((serde_json::from_value(claims).ok()?, subject))
    }

    /// The address of the workflow that signs.
    pub(super) fn workflow(&self) -> String {
        format!("{}/{}", self.server, self.job_workflow_ref)
    }

    /// What a certificate says, by the numbers of its extensions.
    pub(super) fn claims(&self) -> Vec<(u8, String)> {
        let server = &self.server;
        let owner = self.repository.split('/').next().unwrap_or_default();
        vec![
            (1, self.iss.clone()),
            (8, self.iss.clone()),
            (9, self.workflow()),
            (10, self.sha.clone()),
            (11, self.runner_environment.clone()),
            (12, format!("{server}/{}", self.repository)),
            (13, self.sha.clone()),
            (14, self.built_ref.clone()),
            (15, self.repository_id.clone()),
            (16, format!("{server}/{owner}")),
            (17, self.repository_owner_id.clone()),
            (18, format!("{server}/{}", self.workflow_ref)),
            (19, self.sha.clone()),
            (20, self.event_name.clone()),
            (21, format!("{server}/{}/actions/runs/{}/attempts/1", self.repository, self.run_id)),
            (22, "public".to_owned()),
        ]
    }
}
