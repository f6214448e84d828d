//! Who one is, and making repositories.

use serde_json::{Value, json};

use super::answer::{Answer, Refusal, json};
use super::state::{Repository, Role, User};
use super::{Commit, Inner};
use crate::sigstore::Workflow;
use crate::store::name_of;
use crate::wire::Request;

impl Inner {
    pub(super) fn who_am_i(&self, user: Option<&User>) -> Answer {
        let user = user.ok_or_else(|| Refusal::new(401, "", "Invalid username or password."))?;
        let state = self.state();
        let organizations: Vec<Value> = state
            .organizations
            .iter()
            .filter(|(_, organization)| organization.members.contains_key(&user.name))
            .map(|(name, _)| json!({ "type": "org", "name": name }))
            .collect();
        let role = if user.scope == Role::Write { "write" } else { "read" };
        let auth = json!({ "type": "access_token", "accessToken": { "displayName": "t", "role": role } });
        Ok(json(200, &json!({ "type": "user", "name": user.name, "orgs": organizations, "auth": auth })))
    }

    /// Trusted publishing: a token for one repository, in exchange for the identity of a job.
    pub(super) fn exchange(&self, request: &mut Request<'_>) -> Answer {
        let body: Value = serde_json::from_slice(&request.read_body()?)?;
        let refuse = |reason: &str| {
            let value = json!({ "error": "invalid_grant", "error_description": reason });
            Ok(json(400, &value))
        };
        if body["grant_type"] != "urn:ietf:params:oauth:grant-type:token-exchange"
            || body["subject_token_type"] != "urn:ietf:params:oauth:token-type:id_token"
        {
            return refuse("an identity token is exchanged here, and nothing else");
        }
        let field = |name: &str| {
            let value = body[name].as_str().filter(|value| !value.is_empty());
            value.ok_or_else(|| Refusal::bad(format!("{name} is missing")))
        };
        let (text, resource) = (field("subject_token")?, field("resource")?);
        let Some((job, _)) = Workflow::of_token(text) else {
            return refuse(&format!("this is no identity token: {text}"));
        };
        if job.aud != self.base() {
            return refuse("the identity token is made out to another audience");
        }
        let mut state = self.state();
        let is_it = |(repository, known): &(String, Workflow)| {
            let same = |of: fn(&Workflow) -> &String| of(known) == of(&job);
            repository == resource && same(|job| &job.repository_id) && same(|job| &job.job_workflow_ref)
        };
        if !state.publishers.iter().any(is_it) {
            return refuse("no trusted publisher of the repository has this identity");
        }
        let token = format!("hf_jwt_secret_{}", name_of(text));
        let only = Some(resource.to_owned());
        let user = User { name: job.repository, scope: Role::Write, only };
        state.users.insert(token.clone(), user);
        Ok(json(200, &json!({ "access_token": token, "token_type": "bearer", "expires_in": 3600 })))
    }

    pub(super) fn overview(&self, name: &str) -> Answer {
        let state = self.state();
        let organization = state
            .organizations
            .get(name)
            .ok_or_else(|| Refusal::new(404, "", "This organization does not exist"))?;
        let value = json!({
            "avatarUrl": "", "name": name, "fullname": name, "isEnterprise": false, "numUsers": 1,
            "numModels": 0, "numSpaces": 0, "numDatasets": 0, "numFollowers": 0,
            "trustedKernelPublisher": organization.trusted,
        });
        Ok(json(200, &value))
    }

    pub(super) fn create(&self, user: Option<&User>, request: &mut Request<'_>) -> Answer {
        let body: Value = serde_json::from_slice(&request.read_body()?)?;
        let user = user.ok_or_else(|| Refusal::new(401, "", "Invalid username or password."))?;
        let name = body["name"].as_str().ok_or_else(|| Refusal::bad("name is missing"))?;
        let owner = body["organization"].as_str().unwrap_or(&user.name);
        let kind = if body["type"] == "kernel" { "kernels" } else { "models" };
        let key = format!("{kind}/{owner}/{name}");
        let mut state = self.state();
        let is_known = owner == user.name || state.organizations.contains_key(owner);
        if !is_known {
            return Err(Refusal::new(404, "", &format!("No such organization: {owner}")));
        }
        if !state.may_create(user, owner) {
            let text =
                format!("You don't have the rights to create a {kind} under the namespace \"{owner}\"");
            return Err(Refusal::new(403, "", &text));
        }
        let prefix = if kind == "kernels" { "kernels/" } else { "" };
        let url = format!("{}/{prefix}{owner}/{name}", self.base());
        if state.repositories.contains_key(&key) {
            let value = json!({ "error": "You already created this repo", "url": url });
            return Ok(json(409, &value));
        }
        let mut repository = Repository {
            private: body["private"] == true || body["visibility"] == "private",
            ..Repository::default()
        };
        let first = name_of(&format!("first commit of {key}"));
        repository.branches.insert("main".to_owned(), first.clone());
        let files = std::sync::Arc::default();
        repository
            .commits
            .insert(first, Commit { parent: None, summary: "initial commit".to_owned(), files });
        state.repositories.insert(key, repository);
        Ok(json(200, &json!({ "url": url, "name": format!("{owner}/{name}") })))
    }
}
