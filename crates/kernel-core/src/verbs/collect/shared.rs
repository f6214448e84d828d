//! What jobs hand on beside their variants, at places that they share: the results of tests and benchmarks, which several
//! jobs may have for one variant, the benchmarks themselves, and the card.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::finding::Subject;
use kernel_spec::{Finding, code};

use crate::bench::DOCUMENTS;
use crate::suite::RESULTS;
use crate::toolchain::fingerprint::sha256;
use crate::tree::{self, Kind};
use crate::upload::card;
use crate::upload::contents::BENCHMARKS;
use crate::upload::preflight::{self, Artifact};
use crate::{Context, Result, regular};

/// A file of one job.
struct Offer {
    /// The directory as it was named.
    named: String,
    /// The directory that the file's path begins in.
    home: Utf8PathBuf,
    sha256: String,
}

/// By path, each content with the first job that has it.
#[derive(Default)]
pub(super) struct Shared(BTreeMap<String, Vec<Offer>>);

impl Shared {
    /// Reads what the jobs of these variants hand on.
    pub(super) fn of(context: &Context, found: &[(&Utf8Path, Artifact)]) -> Result<Self> {
        let mut shared = Self::default();
        let mut homes: Vec<(&Utf8Path, Utf8PathBuf)> = Vec::new();
        for (named, artifact) in found {
            let home = preflight::home(&context.resolve(named), &artifact.directory).to_owned();
            for kept in [RESULTS, DOCUMENTS] {
                shared.add(named, &home, format!("{kept}/{}.json", artifact.name))?;
            }
            if homes.iter().all(|(_, known)| *known != home) {
                homes.push((named, home));
            }
        }
        for (named, home) in homes {
            shared.add(named, &home, card::FILE.to_owned())?;
            if let Some(benchmarks) = regular::directory_inside(&home, BENCHMARKS)? {
                for entry in tree::walk(&benchmarks, &|path| !tree::is_bytecode(path))? {
                    if entry.kind != Kind::Directory {
                        shared.add(named, &home, format!("{BENCHMARKS}/{}", entry.path))?;
                    }
                }
            }
        }
        Ok(shared)
    }

    fn add(&mut self, named: &Utf8Path, home: &Utf8Path, path: String) -> Result<()> {
        let Some(file) = regular::file_inside(home, &path)? else { return Ok(()) };
        let offer = Offer { named: named.to_string(), home: home.to_owned(), sha256: sha256(&file)? };
        let offers = self.0.entry(path).or_default();
        if offers.iter().all(|other| other.sha256 != offer.sha256) {
            offers.push(offer);
        }
        Ok(())
    }

    /// Results and benchmarks that are not the same in all jobs.
    pub(super) fn differing(&self) -> impl Iterator<Item = Finding> {
        self.several().filter(|(path, _)| *path != card::FILE).map(|(path, from)| {
            let message = format!("`{path}` is in {from}, each time with another content");
            let subject = Subject { file: Some(path.to_owned()), ..Subject::default() };
            Finding::error(&code::collect::TWICE, message).about(subject)
        })
    }

    /// Cards that each speak of one job's variants: none is that of the set.
    pub(super) fn cards(&self) -> impl Iterator<Item = Finding> {
        self.several().filter(|(path, _)| *path == card::FILE).map(|(path, from)| {
            let message = format!("the cards in {from} differ, so the set has none");
            let subject = Subject { file: Some(path.to_owned()), ..Subject::default() };
            Finding::warning(&code::collect::CARDS, message).about(subject)
        })
    }

    /// What goes into the set, with the directory it is taken from.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &Utf8Path)> {
        self.0.iter().filter_map(|(path, offers)| match offers.as_slice() {
            [offer] => Some((path.as_str(), offer.home.as_path())),
            _ => None,
        })
    }

    fn several(&self) -> impl Iterator<Item = (&str, String)> {
        let several = self.0.iter().filter(|(_, offers)| offers.len() > 1);
        several.map(|(path, offers)| {
            let names: Vec<String> = offers.iter().map(|offer| format!("`{}`", offer.named)).collect();
            (path.as_str(), names.join(", "))
        })
    }
}
