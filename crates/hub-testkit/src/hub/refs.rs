//! Branches and pull requests.

use serde_json::{Value, json};

use super::Inner;
use super::answer::{Answer, Refusal, json};
use super::state::User;
use crate::wire::Request;

impl Inner {
    pub(super) fn info(&self, key: &str, user: Option<&User>, revision: &str) -> Answer {
        let state = self.state();
        let repository = state.readable(key, user)?;
        let (sha, files) = repository.files(revision)?;
        let siblings: Vec<Value> = files.keys().map(|path| json!({ "rfilename": path })).collect();
        let (_, id) = key.split_once('/').unwrap_or_default();
        let value = json!({
            "_id": "0", "id": id, "modelId": id, "author": id.split('/').next(), "sha": sha,
            "lastModified": "2026-01-01T00:00:00.000Z", "createdAt": "2026-01-01T00:00:00.000Z",
            "private": repository.private, "gated": false, "disabled": false, "downloads": 0, "likes": 0,
            "tags": [], "siblings": siblings,
        });
        Ok(json(200, &value))
    }

    pub(super) fn refs(&self, key: &str, user: Option<&User>, with_pulls: bool) -> Answer {
        let state = self.state();
        let repository = state.readable(key, user)?;
        let entry = |name: &str, reference: &str, target: &str| json!({ "name": name, "ref": reference, "targetCommit": target });
        let branches: Vec<Value> = repository
            .branches
            .iter()
            .map(|(name, target)| entry(name, &format!("refs/heads/{name}"), target))
            .collect();
        let mut value = json!({ "branches": branches, "tags": [], "converts": [] });
        if with_pulls {
            let pulls = repository.pulls.iter().enumerate().map(|(at, pull)| {
                let name = format!("refs/pr/{}", at + 1);
                entry(&name, &name, &pull.head)
            });
            value["pullRequests"] = Value::Array(pulls.collect());
        }
        Ok(json(200, &value))
    }

    /// The details of a pull request.
    pub(super) fn discussion(&self, key: &str, user: Option<&User>, number: &str) -> Answer {
        let state = self.state();
        let repository = state.readable(key, user)?;
        let at = number.parse::<usize>().map_err(Refusal::bad)?.wrapping_sub(1);
        let missing = || Refusal::new(404, "", "Discussion not found");
        let pull = repository.pulls.get(at).ok_or_else(missing)?;
        let (kind, id) = key.split_once('/').unwrap_or_default();
        let value = json!({
            "num": at + 1, "title": "A change", "status": if pull.is_closed { "closed" } else { "open" },
            "author": { "name": pull.author }, "isPullRequest": true, "createdAt": "2026-01-01T00:00:00.000Z",
            "repo": { "name": id, "type": kind.trim_end_matches('s') }, "events": [], "filesWithConflicts": [],
            "changes": { "base": format!("refs/heads/{}", pull.base) },
        });
        Ok(json(200, &value))
    }

    pub(super) fn create_branch(
        &self,
        request: &mut Request<'_>,
        key: &str,
        user: Option<&User>,
        name: &str,
    ) -> Answer {
        let body = request.read_body()?;
        let body: Value = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? };
        let mut state = self.state();
        state.writable(key, user)?;
        let repository = state.repositories.get_mut(key).ok_or_else(|| Refusal::bad("gone"))?;
        let start = repository.resolve(body["startingPoint"].as_str().unwrap_or("main"))?;
        if repository.branches.contains_key(name) {
            return Err(Refusal::new(409, "", &format!("Reference already exists: refs/heads/{name}")));
        }
        repository.branches.insert(name.to_owned(), start);
        Ok(json(201, &json!({})))
    }

    pub(super) fn delete_branch(&self, key: &str, user: Option<&User>, name: &str) -> Answer {
        let mut state = self.state();
        state.writable(key, user)?;
        let repository = state.repositories.get_mut(key).ok_or_else(|| Refusal::bad("gone"))?;
        match repository.branches.remove(name) {
            Some(_) if name != "main" => Ok(json(200, &json!({}))),
            _ => Err(Refusal::new(404, "RevisionNotFound", &format!("Invalid rev id: {name}"))),
        }
    }
}
