//! Large files: what is stored already, where the rest goes, whole or in parts, and that it is what it should be.

use std::io::Read;

use serde_json::{Map, Value, json};

use super::answer::{Answer, Refusal, json};
use super::state::User;
use super::{Inner, query};
use crate::wire::{Content, Reply, Request};

impl Inner {
    pub(super) fn batch(&self, request: &mut Request<'_>, key: &str, user: Option<&User>) -> Answer {
        let body: Value = serde_json::from_slice(&request.read_body()?)?;
        let objects = body["objects"].as_array().ok_or_else(|| Refusal::bad("objects is missing"))?;
        let uploads = body["operation"] == "upload";
        if uploads {
            // Whoever may propose a change may bring its content.
            self.state().readable(key, user)?;
            user.ok_or_else(|| Refusal::new(401, "", "Invalid username or password."))?;
        } else {
            self.state().readable(key, user)?;
        }
        let accepts = |name: &str| body["transfers"].as_array().is_some_and(|all| all.contains(&name.into()));
        let mut transfer = "basic";
        let mut answers = Vec::new();
        for object in objects {
            let oid = object["oid"].as_str().filter(|oid| is_sha256(oid));
            let oid = oid.ok_or_else(|| Refusal::bad("oid is no SHA-256"))?;
            let size = object["size"].as_u64().ok_or_else(|| Refusal::bad("size is missing"))?;
            let stored = self.store.large(oid).exists();
            let mut answer = json!({ "oid": oid, "size": size, "authenticated": true });
            if uploads && !stored {
                let in_parts = size >= self.limits.multipart && accepts("multipart");
                if in_parts {
                    transfer = "multipart";
                }
                answer["actions"] = self.upload_actions(oid, size, in_parts, key);
            } else if !uploads && stored {
                answer["actions"] = json!({ "download": { "href": self.download_address(oid) } });
            } else if !uploads {
                answer["error"] = json!({ "code": 404, "message": "Object does not exist" });
            }
            answers.push(answer);
        }
        let value = json!({ "transfer": transfer, "objects": answers }).to_string();
        Ok(Reply::bytes(200, value).header("content-type", "application/vnd.git-lfs+json"))
    }

    fn upload_actions(&self, oid: &str, size: u64, in_parts: bool, key: &str) -> Value {
        let base = self.base();
        if !in_parts {
            return json!({
                "upload": { "href": format!("{base}/large/whole/{oid}?size={size}&signature=x") },
                "verify": { "href": format!("{base}/large/verify/{key}"), "header": {} },
            });
        }
        let mut state = self.state();
        state.uploads += 1;
        let upload = state.uploads;
        let mut header = Map::new();
        header.insert("chunk_size".to_owned(), self.limits.part.to_string().into());
        for number in 1..=size.div_ceil(self.limits.part) {
            let href = format!("{base}/large/part/{upload}/{number}?signature=x");
            header.insert(format!("{number:05}"), href.into());
        }
        json!({ "upload": {
            "href": format!("{base}/large/complete/{upload}/{oid}?size={size}"), "header": header,
        } })
    }

    /// On another host, as the real Hub has it; the same address by another name.
    pub(super) fn download_address(&self, oid: &str) -> String {
        format!("{}/large/whole/{oid}?signature=x", self.base().replace("127.0.0.1", "localhost"))
    }

    pub(super) fn route_large(&self, request: &mut Request<'_>, method: &str, rest: &[&str]) -> Answer {
        if request.header("authorization").is_some() && rest.first() != Some(&"verify") {
            return Err(Refusal::bad("a signed address takes no token"));
        }
        match (method, rest) {
            ("PUT", ["whole", oid]) if is_sha256(oid) => {
                let size = size_of(request)?;
                stored(self.store.put_large(oid, size, request.body, true)?)
            }
            ("PUT", ["part", upload, number]) => {
                let name = format!("{}-{}", number_of(upload)?, number_of(number)?);
                self.store.put_part(&name, request.body)?;
                Ok(Reply::empty(200).header("etag", &format!("\"{name}\"")))
            }
            ("POST", ["complete", upload, oid]) if is_sha256(oid) => self.complete(request, upload, oid),
            ("POST", ["verify", ..]) => {
                let body: Value = serde_json::from_slice(&request.read_body()?)?;
                let oid = body["oid"].as_str().filter(|oid| is_sha256(oid));
                let oid = oid.ok_or_else(|| Refusal::bad("oid is no SHA-256"))?;
                stored(self.store.large(oid).exists())
            }
            ("GET" | "HEAD", ["whole", oid]) if is_sha256(oid) => {
                Ok(super::files::send(request, &self.store.large(oid), oid)?)
            }
            _ => Err(Refusal::new(404, "", "no such upload")),
        }
    }

    fn complete(&self, request: &mut Request<'_>, upload: &str, oid: &str) -> Answer {
        let body: Value = serde_json::from_slice(&request.read_body()?)?;
        let size = size_of(request)?;
        let parts = body["parts"].as_array().ok_or_else(|| Refusal::bad("parts is missing"))?;
        let mut whole: Box<dyn Read> = Box::new(std::io::empty());
        for (at, part) in parts.iter().enumerate() {
            let name = format!("{}-{}", number_of(upload)?, at + 1);
            let tag = part["etag"].as_str().ok_or_else(|| Refusal::bad("etag is missing"))?.trim_matches('"');
            if part["partNumber"] != at + 1 || tag != name {
                return Err(Refusal::bad("a part is missing, or has another tag"));
            }
            whole = Box::new(whole.chain(fs_err::File::open(self.store.part(&name))?));
        }
        stored(self.store.put_large(oid, size, &mut whole, false)?)
    }
}

fn stored(well: bool) -> Answer {
    if well { Ok(json(200, &json!({}))) } else { Err(Refusal::bad("the content is not what its name says")) }
}

/// The size that a signed address is for.
fn size_of(request: &Request<'_>) -> Result<u64, Refusal> {
    let size = query(request, "size").ok_or_else(|| Refusal::bad("size is missing"))?;
    number_of(&size)
}

fn number_of(text: &str) -> Result<u64, Refusal> {
    text.parse().map_err(Refusal::bad)
}

pub(super) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The bytes of a stored file, or a range of them.
pub(super) fn content(path: &std::path::Path, offset: u64, length: u64) -> Content {
    Content::File { path: path.to_owned(), offset, length }
}
