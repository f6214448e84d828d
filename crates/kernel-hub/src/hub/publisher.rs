//! Trusted publishing: a CI job shows who it is, and gets a token for one repository and a short time. Nobody has to store
//! a secret for it. The exchange is that of RFC 8693; the variables are those of the ecosystem.

use serde::Deserialize;
use serde_json::json;

use super::{Endpoint, HubError, Login};
use crate::http::{Client, Method, Request, Token};
use crate::job::Job;

/// The variable that asks for it, and says what for: `kernels/OWNER/NAME`.
const RESOURCE: &str = "HF_OIDC_RESOURCE";
/// The variable with an identity token of other services than GitHub.
const IDENTITY: &str = "HF_OIDC_ID_TOKEN";

#[derive(Deserialize)]
struct Answer {
    access_token: String,
}

impl Login {
    /// The login of the job that this runs in, where `HF_OIDC_RESOURCE` asks for one; none where it does not. Who asks for
    /// it gets it, or an error, and never another login instead.
    pub fn of_publisher(
        client: &Client,
        get: &dyn Fn(&str) -> Option<String>,
        endpoint: &Endpoint,
    ) -> Result<Option<Self>, HubError> {
        let set = |name: &str| get(name).filter(|value| !value.is_empty());
        let Some(resource) = set(RESOURCE) else { return Ok(None) };
        if resource.trim().is_empty() {
            return Err(HubError::Blank { origin: format!("`{RESOURCE}`") });
        }
        let (identity, origin) = match (set(IDENTITY), Job::find(get)) {
            (Some(text), _) => (text, format!("`{IDENTITY}`")),
            (None, Some(job)) => {
                (job.token(client, &endpoint.to_string())?, "the service that says who the job is".to_owned())
            }
            (None, None) => return Err(HubError::NoIdentity),
        };
        let identity = super::login::token(&identity, &origin)?;
        client.keep_secret(&identity);
        let request = Request::new(Method::Post, endpoint.join("/oauth/token")).json(&json!({
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            "subject_token": identity.text(),
            "resource": resource,
        }));
        // A second token does no harm.
        let response = client.send(&request.repeatable(true))?;
        if (400..429).contains(&response.status) {
            let (endpoint, answer) = (endpoint.to_string(), response.problem().into());
            return Err(HubError::NotPublisher { endpoint, resource, answer });
        }
        let answer: Answer = response.success()?.json()?;
        let origin = format!("the exchange for `{resource}`");
        let token = Token::new(&answer.access_token);
        let token = token.ok_or_else(|| HubError::UnusableToken { origin: origin.clone() })?;
        Ok(Some(Self::exchanged(token, origin)))
    }
}
