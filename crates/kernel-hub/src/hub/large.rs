//! Storing the content of large files before the commit that names them. Content is known by its hash: what is stored
//! already is not sent again, so an upload that was interrupted goes on where it was.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};

use super::blobs::NAMED;
use super::error::{Answered, Wish};
use super::lanes::side_by_side;
use super::refs::PULLS;
use super::{Blob, Hub, HubError, Repository, Source};
use crate::http::{Body, HttpError, Method, Request, Response, short};

/// Most parts of a file: what the stores behind Hubs take.
const MOST_PARTS: u64 = 10_000;

const LFS: &str = "application/vnd.git-lfs+json";

#[derive(Deserialize)]
struct Batch {
    objects: Vec<Object>,
}

#[derive(Deserialize)]
struct Object {
    oid: String,
    actions: Option<Actions>,
    error: Option<ObjectError>,
}

#[derive(Deserialize)]
struct ObjectError {
    message: String,
}

#[derive(Clone, Deserialize)]
struct Actions {
    upload: Option<Action>,
    verify: Option<Action>,
}

#[derive(Clone, Deserialize)]
struct Action {
    href: String,
    #[serde(default)]
    header: BTreeMap<String, Value>,
}

/// One transfer.
struct Job<'a> {
    blob: &'a Blob,
    actions: Actions,
}

impl Hub {
    /// Stores large files; `sent` hears of bytes that were sent. Without a revision for a pull request, which has none yet.
    pub fn store(
        &self,
        repository: &Repository,
        revision: Option<&str>,
        blobs: &[&Blob],
        sent: &(dyn Fn(u64) + Sync),
    ) -> Result<(), HubError> {
        for chunk in blobs.chunks(NAMED) {
            let jobs = self.missing(repository, revision, chunk)?;
            side_by_side(&jobs, &|job| self.transfer(job, sent))?;
        }
        Ok(())
    }

    /// Those of the files that are not stored, with where to send them.
    fn missing<'a>(
        &self,
        repository: &Repository,
        revision: Option<&str>,
        blobs: &[&'a Blob],
    ) -> Result<Vec<Job<'a>>, HubError> {
        let mut by_name: BTreeMap<&str, &'a Blob> =
            blobs.iter().map(|blob| (blob.sha256.as_str(), *blob)).collect();
        let objects: Vec<Value> =
            by_name.values().map(|blob| json!({ "oid": blob.sha256, "size": blob.size })).collect();
        let mut body = json!({
            "operation": "upload", "transfers": ["basic", "multipart"], "objects": objects, "hash_algo": "sha256",
        });
        if let Some(revision) = revision {
            body["ref"] = json!({ "name": revision });
        }
        let path = repository.page(".git/info/lfs/objects/batch");
        let bytes = body.to_string().into_bytes();
        let request = self.request(Method::Post, &path).header("accept", LFS).header("content-type", LFS);
        let response = self.send(&request.body(Body::Bytes(bytes)).repeatable(true))?;
        if !response.is_success() {
            let proposed = revision.is_none_or(|revision| revision.starts_with(PULLS));
            return Err(self.about(repository, Wish::proposed(proposed), &response));
        }
        let answer: Batch = response.json()?;
        let mut jobs = Vec::new();
        for object in answer.objects {
            // Each is sent once, however often it is named.
            let Some(blob) = by_name.remove(object.oid.as_str()) else { continue };
            if let Some(error) = object.error {
                let reason = self.client.told(&short(&error.message));
                return Err(HubError::NotStored { path: blob.path.clone(), reason });
            }
            jobs.extend(object.actions.map(|actions| Job { blob, actions }));
        }
        // A file that is stored already is named too, without anything to do.
        match by_name.into_values().next() {
            Some(blob) => Err(HubError::NotStored {
                path: blob.path.clone(),
                reason: "the server's answer does not say whether it has it".to_owned(),
            }),
            None => Ok(jobs),
        }
    }

    fn transfer(&self, job: &Job<'_>, sent: &(dyn Fn(u64) + Sync)) -> Result<(), HubError> {
        let Some(upload) = &job.actions.upload else { return Ok(()) };
        if let Some(size) = upload.header.get("chunk_size") {
            let refuse = || HubError::NotStored {
                path: job.blob.path.clone(),
                reason: "the server wants it in parts of a size that is none".to_owned(),
            };
            let size = number(size).filter(|size| *size > 0).ok_or_else(refuse)?;
            self.send_parts(job.blob, upload, size, sent)?;
        } else {
            self.put(job.blob, &upload.href, body(job.blob, 0, job.blob.size))?;
            sent(job.blob.size);
        }
        if let Some(verify) = &job.actions.verify {
            let asked = json!({ "oid": job.blob.sha256, "size": job.blob.size });
            // The address is the server's own choice; the token goes along only where it is the Hub itself.
            let is_hub = verify.href.starts_with(&self.endpoint.join("/"));
            let request = Request::new(Method::Post, &verify.href).json(&asked).repeatable(true);
            self.ask(&request.token(self.token().filter(|_| is_hub)))?;
        }
        Ok(())
    }

    fn send_parts(
        &self,
        blob: &Blob,
        upload: &Action,
        size: u64,
        sent: &(dyn Fn(u64) + Sync),
    ) -> Result<(), HubError> {
        let refuse =
            |reason: &str| HubError::NotStored { path: blob.path.clone(), reason: reason.to_owned() };
        if blob.size.div_ceil(size) > MOST_PARTS {
            return Err(refuse("the server wants it in too many parts"));
        }
        let numbers: Vec<u64> = (1..=blob.size.div_ceil(size)).collect();
        let tags = Mutex::new(BTreeMap::new());
        let lock = || tags.lock().unwrap_or_else(PoisonError::into_inner);
        side_by_side(&numbers, &|number| {
            let href = upload.header.get(&format!("{number:05}")).and_then(Value::as_str);
            let href = href.ok_or_else(|| refuse("the server names too few parts"))?;
            let offset = (number - 1) * size;
            let length = size.min(blob.size - offset);
            let response = self.put(blob, href, body(blob, offset, length))?;
            let etag = response.headers.get("etag").ok_or_else(|| refuse("a part has no tag"))?;
            lock().insert(*number, etag.to_owned());
            sent(length);
            Ok(())
        })?;
        let parts: Vec<Value> =
            lock().iter().map(|(number, etag)| json!({ "partNumber": number, "etag": etag })).collect();
        let done = json!({ "oid": blob.sha256, "parts": parts }).to_string().into_bytes();
        let request =
            Request::new(Method::Post, &upload.href).header("accept", LFS).header("content-type", LFS);
        self.ask(&request.body(Body::Bytes(done)).repeatable(true))?;
        Ok(())
    }

    /// Sends content to a signed address, which takes no token.
    fn put(&self, blob: &Blob, href: &str, body: Body) -> Result<Response, HubError> {
        self.ask(&Request::new(Method::Put, href).body(body)).map_err(|error| match error {
            HttpError::Refused(problem) => {
                HubError::NotTaken { path: blob.path.clone(), answer: Answered::from(problem) }
            }
            other => other.into(),
        })
    }

    /// Asks an address that the Hub named: where that is none, the Hub is to blame, and not what the user gave.
    fn ask(&self, request: &Request) -> Result<Response, HttpError> {
        let blame = |error: HttpError| match error {
            HttpError::Address { address, reason } => {
                let reason = format!("it wants content sent to `{address}`, which cannot be asked: {reason}");
                HttpError::Answer { address: self.endpoint.to_string(), reason }
            }
            other => other,
        };
        self.client.send(request).map_err(blame)?.success()
    }
}

fn body(blob: &Blob, offset: u64, length: u64) -> Body {
    match &blob.source {
        Source::File(file) => Body::File { file: file.clone(), offset, length },
        Source::Bytes(bytes) => {
            let (begin, end) = (usize::try_from(offset), usize::try_from(offset + length));
            Body::Bytes(bytes[begin.unwrap_or_default()..end.unwrap_or_default()].to_vec())
        }
    }
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}
