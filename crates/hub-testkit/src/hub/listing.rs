//! What is in a commit: trees in pages, and what a later upload of a file would need.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::answer::{Answer, Refusal, json};
use super::state::{Entry, User};
use super::{Inner, query};
use crate::store::name_of;
use crate::wire::Request;

impl Inner {
    pub(super) fn tree(
        &self,
        request: &Request<'_>,
        key: &str,
        user: Option<&User>,
        revision: &str,
        folder: &str,
    ) -> Answer {
        let state = self.state();
        let (_, files) = state.readable(key, user)?.files(revision)?;
        let recursive = query(request, "recursive").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let entries = below(&files, folder, recursive);
        if entries.is_empty() && !folder.is_empty() {
            return Err(Refusal::new(
                404,
                "EntryNotFound",
                &format!("{folder} does not exist on {revision}"),
            ));
        }
        let cursor = query(request, "cursor").map(|cursor| cursor.parse().map_err(Refusal::bad));
        let begin: usize = cursor.transpose()?.unwrap_or(0);
        let end = entries.len().min(begin + self.limits.page);
        let page = Value::Array(entries.get(begin..end).unwrap_or_default().to_vec());
        let reply = json(200, &page);
        if end == entries.len() {
            return Ok(reply);
        }
        let others = request.query.split('&').filter(|pair| !pair.starts_with("cursor=") && !pair.is_empty());
        let others: String = others.map(|pair| format!("{pair}&")).collect();
        let next = format!("<{}{}?{others}cursor={end}>; rel=\"next\"", self.origin(), request.path);
        Ok(reply.header("link", &next))
    }

    fn origin(&self) -> &str {
        self.base().strip_suffix(self.prefix.as_str()).unwrap_or_default()
    }

    pub(super) fn paths_info(
        &self,
        request: &mut Request<'_>,
        key: &str,
        user: Option<&User>,
        revision: &str,
    ) -> Answer {
        let body = request.read_body()?;
        let paths: Vec<String> = match serde_json::from_slice::<Value>(&body) {
            Ok(value) => serde_json::from_value(value["paths"].clone())?,
            Err(_) => form(&String::from_utf8_lossy(&body), "paths"),
        };
        let state = self.state();
        let (_, files) = state.readable(key, user)?.files(revision)?;
        let known = paths.iter().filter_map(|path| Some(file(path, files.get(path)?)));
        Ok(json(200, &Value::Array(known.collect())))
    }

    pub(super) fn preupload(
        &self,
        request: &mut Request<'_>,
        key: &str,
        user: Option<&User>,
        revision: &str,
    ) -> Answer {
        let body: Value = serde_json::from_slice(&request.read_body()?)?;
        let asked = body["files"].as_array().ok_or_else(|| Refusal::bad("files is missing"))?;
        if asked.len() > 256 {
            return Err(Refusal::new(413, "", "at most 256 files"));
        }
        let state = self.state();
        if query(request, "create_pr").as_deref() == Some("1") {
            state.readable(key, user)?;
            user.ok_or_else(|| Refusal::new(401, "", "Invalid username or password."))?;
        } else {
            state.writable(key, user)?;
        }
        let (_, files) = state.readable(key, user)?.files(revision)?;
        let mut answers = Vec::new();
        for asked in asked {
            let path = asked["path"].as_str().ok_or_else(|| Refusal::bad("path is missing"))?;
            let size = asked["size"].as_u64().ok_or_else(|| Refusal::bad("size is missing"))?;
            let sample = asked["sample"].as_str().ok_or_else(|| Refusal::bad("sample is missing"))?;
            let sample = STANDARD.decode(sample).map_err(Refusal::bad)?;
            let is_large = size >= self.limits.large
                || Path::new(path).extension().is_some_and(|end| end == "so")
                || sample.contains(&0);
            let mode = if is_large { "lfs" } else { "regular" };
            let mut answer = json!({ "path": path, "uploadMode": mode, "shouldIgnore": false });
            if let Some(entry) = files.get(path) {
                answer["oid"] = entry.lfs.as_ref().unwrap_or(&entry.oid).as_str().into();
            }
            answers.push(answer);
        }
        Ok(json(200, &json!({ "files": answers, "commitOid": "0" })))
    }
}

/// The entries below a folder, folders first named by their files.
fn below(files: &BTreeMap<String, Entry>, folder: &str, recursive: bool) -> Vec<Value> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut folders = BTreeSet::new();
    let mut entries = Vec::new();
    for (path, entry) in files {
        let Some(rest) = path.strip_prefix(&prefix) else { continue };
        let depths: Vec<usize> = rest.match_indices('/').map(|(at, _)| at).collect();
        for at in depths.iter().take(if recursive { usize::MAX } else { 1 }) {
            let name = format!("{prefix}{}", &rest[..*at]);
            if folders.insert(name.clone()) {
                entries.push(json!({ "type": "directory", "oid": name_of(&name), "size": 0, "path": name }));
            }
        }
        if recursive || depths.is_empty() {
            entries.push(file(path, entry));
        }
    }
    entries
}

fn file(path: &str, entry: &Entry) -> Value {
    let mut value = json!({ "type": "file", "oid": entry.oid, "size": entry.size, "path": path });
    if let Some(sha256) = &entry.lfs {
        value["lfs"] = json!({ "oid": sha256, "size": entry.size, "pointerSize": 134 });
    }
    value
}

/// The values of one name in a form.
fn form(body: &str, name: &str) -> Vec<String> {
    let pairs = body.split('&').filter_map(|pair| pair.split_once('='));
    pairs.filter(|(key, _)| *key == name).map(|(_, value)| super::decode(&value.replace('+', " "))).collect()
}
