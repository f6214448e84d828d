//! The Hub: storage, rules and routes. Everything it does, it does under one lock, so that a request happens wholly or
//! not at all.

mod account;
mod answer;
mod commit;
mod files;
mod large;
mod listing;
mod refs;
pub(crate) mod state;

use std::sync::{Arc, Mutex, MutexGuard};

use crate::Faults;
use crate::sigstore::Workflow;
use crate::store::Store;
use crate::wire::{Reply, Request, Server};
use answer::{Answer, Refusal};
use state::{Commit, Entry, Limits, Organization, Role, State, User};

/// A running Hub; it and all its content end when dropped.
#[derive(Debug)]
pub struct Hub {
    server: Server,
    inner: Arc<Inner>,
}

/// A Hub before it runs.
#[derive(Debug, Default)]
pub struct HubBuilder {
    state: State,
    limits: Limits,
    prefix: String,
}

#[derive(Debug)]
pub(crate) struct Inner {
    state: Mutex<State>,
    store: Store,
    limits: Limits,
    faults: Faults,
    log: Mutex<Vec<String>>,
    prefix: String,
    /// What addresses in answers begin with; known once the port is.
    base: std::sync::OnceLock<String>,
}

impl HubBuilder {
    /// A user with a token, and what the token allows.
    #[must_use]
    pub fn user(mut self, name: &str, token: &str, scope: Role) -> Self {
        self.state.users.insert(token.to_owned(), User { name: name.to_owned(), scope, only: None });
        self
    }

    /// An organization, and whether its kernels are trusted.
    #[must_use]
    pub fn organization(mut self, name: &str, trusted: bool, members: &[(&str, Role)]) -> Self {
        let members = members.iter().map(|(name, role)| ((*name).to_owned(), *role)).collect();
        self.state.organizations.insert(name.to_owned(), Organization { trusted, members });
        self
    }

    /// A workflow that may publish to `kernels/OWNER/NAME` by showing who it is.
    #[must_use]
    pub fn publisher(mut self, repository: &str, workflow: Workflow) -> Self {
        self.state.publishers.push((repository.to_owned(), workflow));
        self
    }

    /// Other bounds.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// A path that all addresses begin with.
    #[must_use]
    pub fn prefix(mut self, prefix: &str) -> Self {
        prefix.clone_into(&mut self.prefix);
        self
    }

    /// Starts it.
    pub fn start(self) -> std::io::Result<Hub> {
        let inner = Arc::new(Inner {
            state: Mutex::new(self.state),
            store: Store::new()?,
            limits: self.limits,
            faults: Faults::default(),
            log: Mutex::default(),
            prefix: self.prefix,
            base: std::sync::OnceLock::new(),
        });
        let answering = Arc::clone(&inner);
        let server = Server::start(move |request: &mut Request<'_>| answering.answer(request))?;
        inner.base.get_or_init(|| format!("{}{}", server.url(), inner.prefix));
        Ok(Hub { server, inner })
    }
}

impl Hub {
    /// A Hub to describe and start.
    pub fn builder() -> HubBuilder {
        HubBuilder::default()
    }

    /// Its address, for `HF_ENDPOINT`.
    pub fn url(&self) -> String {
        format!("{}{}", self.server.url(), self.inner.prefix)
    }

    /// Faults to come.
    pub fn faults(&self) -> &Faults {
        &self.inner.faults
    }

    /// The requests so far, as `METHOD PATH`, and forgets them.
    pub fn take_log(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.inner.log))
    }

    /// Bytes of large files that arrived so far, useful or not.
    pub fn received(&self) -> u64 {
        self.inner.store.received()
    }

    /// The large files that are stored, with their sizes.
    pub fn stored(&self) -> std::io::Result<std::collections::BTreeMap<String, u64>> {
        self.inner.store.all_large()
    }

    /// The commits of a branch of `kernels/OWNER/NAME`, newest first; none where there is no such branch.
    pub fn history(&self, repository: &str, revision: &str) -> Vec<Commit> {
        let state = self.inner.state();
        let Some(repository) = state.repositories.get(repository) else { return Vec::new() };
        let mut next = repository.resolve(revision).ok();
        let mut commits = Vec::new();
        while let Some(commit) = next.as_ref().and_then(|oid| repository.commits.get(oid)) {
            next.clone_from(&commit.parent);
            commits.push(commit.clone());
        }
        commits
    }

    /// The branches of a repository, and its pull requests as `refs/pr/N`.
    pub fn refs(&self, repository: &str) -> Vec<String> {
        let state = self.inner.state();
        let Some(repository) = state.repositories.get(repository) else { return Vec::new() };
        let pulls = (1..=repository.pulls.len()).map(|number| format!("refs/pr/{number}"));
        repository.branches.keys().cloned().chain(pulls).collect()
    }

    /// Closes a pull request, as its author or the owners would.
    pub fn close_pull(&self, repository: &str, number: usize) {
        let mut state = self.inner.state();
        let pulls = state.repositories.get_mut(repository).map(|repository| &mut repository.pulls);
        if let Some(pull) = pulls.and_then(|pulls| pulls.get_mut(number.wrapping_sub(1))) {
            pull.is_closed = true;
        }
    }

    /// Changes one file of a branch, as somebody else would.
    pub fn put(&self, repository: &str, branch: &str, path: &str, content: &[u8]) -> std::io::Result<()> {
        let oid = self.inner.store.put_blob(content)?;
        let mut state = self.inner.state();
        let Some(repository) = state.repositories.get_mut(repository) else { return Ok(()) };
        let Ok((head, files)) = repository.files(branch) else { return Ok(()) };
        let mut files = std::collections::BTreeMap::clone(&files);
        files.insert(path.to_owned(), Entry { oid, size: content.len() as u64, lfs: None });
        let name = crate::store::name_of(&format!("{head} edited {files:?}"));
        let summary = "Edited by hand".to_owned();
        let commit = Commit { parent: Some(head), summary, files: Arc::new(files) };
        repository.commits.insert(name.clone(), commit);
        repository.branches.insert(branch.to_owned(), name);
        Ok(())
    }

    /// The content of a file of a commit.
    pub fn content(&self, entry: &Entry) -> std::io::Result<Vec<u8>> {
        fs_err::read(self.inner.place(entry))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn place(&self, entry: &Entry) -> std::path::PathBuf {
        entry.lfs.as_ref().map_or_else(|| self.store.blob(&entry.oid), |sha256| self.store.large(sha256))
    }

    fn base(&self) -> &str {
        self.base.get().map_or("", String::as_str)
    }

    fn answer(&self, request: &mut Request<'_>) -> Reply {
        let path = request.path.strip_prefix(&self.prefix).unwrap_or(&request.path).to_owned();
        lock(&self.log).push(format!("{} {path}", request.method));
        let fault = self.faults.of(&request.method, &path);
        if let Some(reply) = fault.as_ref().and_then(crate::Kind::before) {
            return reply;
        }
        let reply = self.route(request, &path).unwrap_or_else(Reply::from);
        fault.map_or_else(|| reply.clone(), |fault| fault.after(reply.clone()))
    }

    /// The one who asks; a token that nobody has is refused.
    fn user(&self, request: &Request<'_>) -> Result<Option<User>, Refusal> {
        let Some(value) = request.header("authorization") else { return Ok(None) };
        let basic = value.strip_prefix("Basic ").and_then(files::basic_password);
        let token = value.strip_prefix("Bearer ").map(str::to_owned).or(basic).unwrap_or_default();
        match self.state().users.get(&token) {
            Some(user) => Ok(Some(user.clone())),
            None => Err(Refusal::new(401, "", "Invalid credentials in Authorization header")),
        }
    }

    fn route(&self, request: &mut Request<'_>, path: &str) -> Answer {
        let parts: Vec<String> = path.trim_matches('/').split('/').map(decode).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let user = self.user(request)?;
        let user = user.as_ref();
        let method = request.method.clone();
        match (method.as_str(), parts.as_slice()) {
            ("GET", ["api", "whoami-v2"]) => self.who_am_i(user),
            ("POST", ["oauth", "token"]) => self.exchange(request),
            ("POST", ["api", "repos", "create"]) => self.create(user, request),
            ("POST", ["api", "validate-yaml"]) => Ok(Reply::json(200, r#"{"errors": [], "warnings": []}"#)),
            ("GET", ["api", "organizations", name, "overview"]) => self.overview(name),
            (method, ["api", kind @ ("kernels" | "models"), owner, name, rest @ ..]) => {
                let key = format!("{kind}/{owner}/{name}");
                self.route_repository(request, method, &key, user, rest)
            }
            (method, ["large", rest @ ..]) => self.route_large(request, method, rest),
            ("POST", ["kernels", owner, name, "info", "lfs", "objects", "batch"]) => {
                self.batch(request, &format!("kernels/{owner}/{}", name.trim_end_matches(".git")), user)
            }
            ("POST", [owner, name, "info", "lfs", "objects", "batch"]) => {
                self.batch(request, &format!("models/{owner}/{}", name.trim_end_matches(".git")), user)
            }
            ("GET" | "HEAD", ["kernels", owner, name, "resolve", revision, path @ ..]) => {
                self.resolve(request, &format!("kernels/{owner}/{name}"), user, revision, &path.join("/"))
            }
            ("GET" | "HEAD", [owner, name, "resolve", revision, path @ ..]) => {
                self.resolve(request, &format!("models/{owner}/{name}"), user, revision, &path.join("/"))
            }
            _ => Err(Refusal::new(404, "", "Sorry, we can't find the page you are looking for.")),
        }
    }

    fn route_repository(
        &self,
        request: &mut Request<'_>,
        method: &str,
        key: &str,
        user: Option<&User>,
        rest: &[&str],
    ) -> Answer {
        match (method, rest) {
            ("GET", [] | ["revision", _]) => self.info(key, user, rest.last().copied().unwrap_or("main")),
            ("GET", ["refs"]) => self.refs(key, user, request.query.contains("include_prs=1")),
            ("GET", ["discussions", number]) => self.discussion(key, user, number),
            ("POST", ["branch", name]) => self.create_branch(request, key, user, name),
            ("DELETE", ["branch", name]) => self.delete_branch(key, user, name),
            ("GET", ["tree", revision, path @ ..]) => {
                self.tree(request, key, user, revision, &path.join("/"))
            }
            ("POST", ["paths-info", revision]) => self.paths_info(request, key, user, revision),
            ("POST", ["preupload", revision]) => self.preupload(request, key, user, revision),
            ("POST", ["commit", revision]) => self.commit(request, key, user, revision),
            _ => Err(Refusal::new(404, "", "Sorry, we can't find the page you are looking for.")),
        }
    }
}

/// A part of a path or query without its percent signs.
pub(crate) fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = code.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%');
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A field of a query.
fn query(request: &Request<'_>, name: &str) -> Option<String> {
    request.query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=').map(decode))
}
