//! One commit of a published kernel: its listing, and what is fetched of it. A folder is fetched beside its place and
//! renamed into it, so it is whole or not there; one that is there is compared with the listing before it is used.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_hub::confined::Confined;
use kernel_hub::http::HttpError;
use kernel_hub::hub::{Fetch, Hub, Refs, RemoteFile, Repository, Tree};
use kernel_hub::publish::{is_same, read_listed};
use kernel_spec::Event;
use kernel_spec::event::Stage;
use kernel_spec::identifier::hexadecimal;
use sha2::{Digest, Sha256};

use super::reference::is_commit;
use super::{PublishedError, Reference};
use crate::arriving::Arriving;
use crate::digest::METADATA;
use crate::meter::Meter;
use crate::tree::{self, Kind};
use crate::upload::contents::{BUILD, name_files};
use crate::{Context, Result, artifacts, bounds, network};

/// Most bytes of one folder: more than any kernel has, and less than fills a disk by itself.
const MOST: u64 = 64 << 30;
/// Most bytes of a file that is read into memory.
const SMALL: u64 = 16 << 20;

/// One commit of a published kernel.
pub struct Snapshot {
    /// What was asked for.
    pub reference: Reference,
    /// The commit it means.
    pub commit: String,
    hub: Hub,
    repository: Repository,
    files: Tree,
    /// Where fetched folders are.
    root: Utf8PathBuf,
}

impl Snapshot {
    /// Asks the Hub what a reference means, and for the listing.
    pub fn open(context: &Context, reference: Reference) -> Result<Self> {
        let hub = network::hub(context)?;
        let repository = reference.repository();
        let commit = commit(&hub, &repository, &reference)?;
        let files = hub.tree(&repository, &commit, "")?;
        let cache = context.environment.cache_directory();
        let cache = cache.unwrap_or_else(|| context.working_directory.join(".kernel-builder"));
        let endpoint = hexadecimal(&Sha256::digest(hub.endpoint().to_string()));
        let place = format!("published/{}/{}/{commit}", &endpoint[..16], reference.id());
        Ok(Self { reference, commit, hub, repository, files, root: cache.join(place) })
    }

    /// All files by path.
    pub fn files(&self) -> &Tree {
        &self.files
    }

    /// The folders below `build`, in which the loader looks for variants.
    pub fn variants(&self) -> BTreeSet<&str> {
        let inside = self.files.keys().filter_map(|path| path.strip_prefix(BUILD)?.split_once('/'));
        inside.map(|(variant, _)| variant).collect()
    }

    /// The files of a folder, by their path in it.
    pub fn folder<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a RemoteFile)> {
        below(&self.files, folder).map(|(_, inside, file)| (inside, file))
    }

    /// Whether the loader trusts the publisher without being told to.
    pub fn is_trusted(&self) -> Result<bool> {
        Ok(self.hub.trusts(&self.reference.owner)?)
    }

    /// Refuses to go on where the code of somebody who is not trusted would run.
    pub fn require_trust(&self, told: bool) -> Result<()> {
        if told || self.is_trusted()? {
            return Ok(());
        }
        Err(PublishedError::Untrusted { owner: self.reference.owner.clone() }.into())
    }

    /// The content of a small file, which is what the listing says; none where there is no such file.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.read_at_most(path, SMALL)
    }

    fn read_at_most(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>> {
        let Some(file) = self.files.get(path) else { return Ok(None) };
        if file.size > most {
            let address = self.hub.endpoint().join(&self.repository.page(""));
            let reason = format!("it has {} bytes, more than {most}", file.size);
            return Err(HttpError::Content { address, path: path.into(), reason }.into());
        }
        Ok(Some(read_listed(&self.hub, &self.repository, &self.commit, (path, file))?))
    }

    /// The metadata of a variant.
    pub fn metadata(&self, variant: &str) -> Result<Option<Vec<u8>>> {
        self.read_at_most(&format!("{BUILD}{variant}/{METADATA}"), bounds::METADATA)
    }

    /// Fetches variants, all without names; answers the directory that holds `build/<variant>`.
    pub fn fetch_variants(&self, context: &Context, names: Option<&[String]>) -> Result<Utf8PathBuf> {
        let published = self.variants();
        if published.is_empty() {
            return Err(PublishedError::Empty { reference: self.reference.clone() }.into());
        }
        let mut wanted: Vec<&str> = published.iter().copied().collect();
        if let Some(names) = names {
            if let Some(unknown) = names.iter().find(|name| !published.contains(name.as_str())) {
                let (reference, variant) = (self.reference.clone(), unknown.clone());
                return Err(PublishedError::NoVariant { reference, variant }.into());
            }
            wanted = names.iter().map(String::as_str).collect();
        }
        for variant in wanted {
            self.fetch(context, &format!("{BUILD}{variant}"))?;
        }
        if artifacts::find(&self.root).is_empty() {
            return Err(PublishedError::Empty { reference: self.reference.clone() }.into());
        }
        Ok(self.root.clone())
    }

    /// Fetches one folder; answers where it is.
    pub fn fetch(&self, context: &Context, folder: &str) -> Result<Utf8PathBuf> {
        let place = self.root.join(folder);
        let expected: BTreeMap<&str, &RemoteFile> = self.folder(folder).collect();
        if holds(context, &place, &expected)? {
            return Ok(place);
        }
        let total = expected.values().fold(0_u64, |sum, file| sum.saturating_add(file.size));
        if total > MOST {
            let address = self.hub.endpoint().join(&self.repository.page(""));
            let reason = format!("its folder `{folder}` has {total} bytes, more than {MOST}");
            return Err(HttpError::Answer { address, reason }.into());
        }
        let message = format!("fetch {folder} of {}", self.reference);
        context.sink.event(&Event::Stage { stage: Stage::Fetch, variant: None, message });
        let parent = place.parent().unwrap_or(&self.root);
        let arriving = Arriving::begin(parent, ".arriving-")?;
        let whole = arriving.whole()?;
        fs_err::create_dir(&whole)?;
        let files: Vec<Fetch<'_>> = below(&self.files, folder)
            .map(|(path, inside, file)| Fetch { path, file, place: whole.join(inside) })
            .collect();
        let meter = Meter::new(context, "bytes fetched", total);
        self.hub.fetch(&self.repository, &self.commit, &files, &|bytes| meter.add(bytes))?;
        if place.exists() {
            fs_err::remove_dir_all(&place)?;
        }
        fs_err::rename(&whole, &place)?;
        Ok(place)
    }
}

/// The files below a folder: the path, the path in the folder, and the file. The others are not looked at, since whoever
/// wants the files of each folder would otherwise pay for all of them each time.
fn below<'a>(files: &'a Tree, folder: &str) -> impl Iterator<Item = (&'a str, &'a str, &'a RemoteFile)> {
    let start = format!("{folder}/");
    let length = start.len();
    let from_there = files.range(start.clone()..);
    from_there
        .take_while(move |(path, _)| path.starts_with(&start))
        .map(move |(path, file)| (path.as_str(), &path[length..], file))
}

fn commit(hub: &Hub, repository: &Repository, reference: &Reference) -> Result<String> {
    if is_commit(&reference.revision) {
        return Ok(reference.revision.clone());
    }
    let refs = hub.refs(repository, false)?;
    let Some(commit) = refs.branches.get(&reference.revision) else {
        return Err(PublishedError::NoRevision {
            repository: repository.id(),
            revision: reference.revision.clone(),
            known: format!("it has {}; a commit is given with all its digits", known(&refs)),
        }
        .into());
    };
    if !is_commit(commit) {
        let address = hub.endpoint().join(&repository.page(""));
        let reason = format!("it names `{}` as a commit", commit.escape_debug());
        return Err(HttpError::Answer { address, reason }.into());
    }
    Ok(commit.clone())
}

/// Most branches that a help names.
const NAMED: usize = 12;
/// Longest name of a branch in it, in characters.
const LONGEST: usize = 100;

/// The branches of a repository for people: versions first, the newest before older ones.
fn known(refs: &Refs) -> String {
    if refs.branches.is_empty() {
        return "no branch".to_owned();
    }
    let version = |name: &&String| name.strip_prefix('v').and_then(|digits| digits.parse::<u64>().ok());
    let mut names: Vec<&String> = refs.branches.keys().collect();
    names.sort_by_key(|name| std::cmp::Reverse(version(name)));
    let shown =
        |name: &String| format!("`{}`", name.chars().take(LONGEST).collect::<String>().escape_debug());
    let first: Vec<String> = names.iter().take(NAMED).map(|name| shown(name)).collect();
    match names.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Whether a directory holds exactly these files.
fn holds(context: &Context, directory: &Utf8Path, expected: &BTreeMap<&str, &RemoteFile>) -> Result<bool> {
    if !directory.is_dir() {
        return Ok(false);
    }
    let entries = tree::walk(directory, &|_| true)?;
    let entries: Vec<_> = entries.into_iter().filter(|entry| entry.kind != Kind::Directory).collect();
    let is_expected =
        |entry: &tree::Entry| entry.kind == Kind::File && expected.contains_key(entry.path.as_str());
    if entries.len() != expected.len() || !entries.iter().all(is_expected) {
        return Ok(false);
    }
    let paths: Vec<_> =
        entries.iter().map(|entry| (entry.path.clone(), Confined::new(directory, &entry.path))).collect();
    let named = name_files(context, &paths)?;
    Ok(expected.iter().all(|(path, file)| named.get(*path).is_some_and(|content| is_same(content, file))))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn tree(paths: impl IntoIterator<Item = String>) -> Tree {
        let file = RemoteFile { oid: String::new(), sha256: None, size: 1 };
        paths.into_iter().map(|path| (path, file.clone())).collect()
    }

    #[test]
    fn a_folder_has_its_own_files_alone() {
        let paths = ["a/x", "a-b/x", "a.b/x", "a/b/y", "a0", "a", "b/a/x"];
        let tree = tree(paths.map(str::to_owned));
        let inside = |folder: &str| below(&tree, folder).map(|(_, inside, _)| inside).collect::<Vec<_>>();
        assert_eq!(inside("a"), ["b/y", "x"]);
        assert_eq!(inside("a-b"), ["x"]);
        assert_eq!(inside("a/b"), ["y"]);
        assert!(inside("c").is_empty());
        let [(path, _, _)] = below(&tree, "b/a").collect::<Vec<_>>()[..] else { panic!("one file") };
        assert_eq!(path, "b/a/x");
    }

    /// Who lists a hundred thousand folders makes nobody wait: looking through all for each takes minutes, this a moment.
    #[test]
    fn the_folders_of_a_large_listing_are_found_without_looking_through_all_of_it() {
        let folders: Vec<String> = (0..100_000).map(|number| format!("build/{number}")).collect();
        let tree = tree(folders.iter().map(|folder| format!("{folder}/a.py")));
        let begun = Instant::now();
        for folder in &folders {
            assert_eq!(below(&tree, folder).count(), 1);
            assert!(begun.elapsed() < Duration::from_secs(20), "{folder}");
        }
    }
}
