//! Sealing: a variant is made beside its place and comes into it in one step, when it is complete. Whoever looks at
//! `build/<variant>` sees the earlier result or the new one, whenever this process is killed.
//!
//! Names in the build directory: `.<variant>.partial` is being made, or has failed a check; `.<variant>.old` is the
//! earlier result while it is replaced on a file system that cannot exchange two directories. [`Partial::create`] puts
//! right what an earlier run left.

mod error;
mod replace;
#[cfg(test)]
mod tests;

use std::os::unix::fs::PermissionsExt;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Metadata;
use kernel_spec::metadata::DigestRecord;

use crate::digest::{self, METADATA, SIGNATURE};
use crate::tree::{self, Kind};

pub use error::SealError;
pub(crate) use replace::discard;
pub use replace::recover;

/// Directory of a project that holds its sealed variants.
pub const BUILD_DIRECTORY: &str = "build";

/// Mode of every file of a variant.
const FILE_MODE: u32 = 0o644;
/// Mode of every directory of a variant.
const DIRECTORY_MODE: u32 = 0o755;

/// A variant that is being made.
#[derive(Debug)]
pub struct Partial {
    build: Utf8PathBuf,
    variant: String,
}

/// A variant that only has to be put into its place: its files are final, and its metadata lies beside them.
#[derive(Debug)]
pub struct Complete {
    partial: Partial,
    metadata: Metadata,
    files: Vec<Utf8PathBuf>,
}

/// A variant in its place.
#[derive(Clone, Debug)]
pub struct Sealed {
    /// Its directory.
    pub directory: Utf8PathBuf,
    /// What its `metadata.json` says.
    pub metadata: Metadata,
    /// Whether anything is new; where nothing is, an earlier signature stays valid and in place.
    pub changed: bool,
}

impl Partial {
    /// An empty place to make `variant` in; `build` is the directory of sealed variants. What an interrupted run left
    /// there is put right first.
    pub fn create(build: &Utf8Path, variant: &str) -> Result<Self, SealError> {
        fs_err::create_dir_all(build)?;
        recover(build)?;
        let partial = Self { build: build.to_owned(), variant: variant.to_owned() };
        replace::remove(&partial.path())?;
        fs_err::create_dir(partial.path())?;
        Ok(partial)
    }

    /// The directory to put files into.
    pub fn path(&self) -> Utf8PathBuf {
        self.build.join(format!(".{}.partial", self.variant))
    }

    /// Completes the variant. The digest in `metadata` is made here.
    pub fn complete(self, mut metadata: Metadata) -> Result<Complete, SealError> {
        replace::require_ours(&self.place())?;
        let files = self.tidy()?;
        let partial = self.path();
        metadata.digest = Some(DigestRecord::sha256(digest::of_variant(&partial)?));
        write_last(&partial.join(METADATA), &metadata.to_json())?;
        Ok(Complete { partial: self, metadata, files })
    }

    fn place(&self) -> Utf8PathBuf {
        self.build.join(&self.variant)
    }

    /// Removes what does not belong into a variant and gives the rest one mode; the files that stay.
    fn tidy(&self) -> Result<Vec<Utf8PathBuf>, SealError> {
        let partial = self.path();
        for name in [METADATA, SIGNATURE] {
            replace::remove(&partial.join(name))?;
        }
        let mut files = Vec::new();
        for entry in tree::walk(&partial, &|_| true).map_err(digest::DigestError::Tree)? {
            let path = partial.join(&entry.path);
            match entry.kind {
                // Its directory may have gone before it.
                _ if tree::is_bytecode(&entry.path) => replace::remove(&path)?,
                Kind::Directory => {
                    fs_err::set_permissions(path, PermissionsExt::from_mode(DIRECTORY_MODE))?;
                }
                Kind::File => {
                    fs_err::set_permissions(&path, PermissionsExt::from_mode(FILE_MODE))?;
                    files.push(path);
                }
                kind => return Err(SealError::Odd { path: entry.path, kind }),
            }
        }
        fs_err::set_permissions(&partial, PermissionsExt::from_mode(DIRECTORY_MODE))?;
        Ok(files)
    }
}

impl Complete {
    /// Its directory, until it is sealed.
    pub fn path(&self) -> Utf8PathBuf {
        self.partial.path()
    }

    /// Leaves it where it is, to be looked at, and no longer complete.
    pub fn reject(self) -> Result<Utf8PathBuf, SealError> {
        replace::remove(&self.path().join(METADATA))?;
        Ok(self.path())
    }

    /// Puts it into its place.
    pub fn seal(self) -> Result<Sealed, SealError> {
        self.seal_by(replace::replace)
    }

    fn seal_by(
        self,
        replace: fn(&Utf8Path, &Utf8Path, &Utf8Path) -> Result<(), SealError>,
    ) -> Result<Sealed, SealError> {
        let (partial, place) = (self.path(), self.partial.place());
        if is_sealed_as(&place, &self.metadata) {
            replace::remove(&partial)?;
            return Ok(Sealed { directory: place, metadata: self.metadata, changed: false });
        }
        for file in self.files {
            fs_err::File::open(file)?.sync_all()?;
        }
        fs_err::File::open(partial.join(METADATA))?.sync_all()?;
        replace::sync_directories(&partial)?;
        replace(&self.partial.build, &partial, &place)?;
        Ok(Sealed { directory: place, metadata: self.metadata, changed: true })
    }
}

/// Whether the variant in place is this one to the byte, but for what signing added, so that its signature can stay.
fn is_sealed_as(place: &Utf8Path, metadata: &Metadata) -> bool {
    let same = |earlier: Vec<u8>| {
        earlier == metadata.to_json().as_bytes()
            || Metadata::from_json(&earlier)
                .is_ok_and(|signed| signed.publication.is_some() && signed.unsigned() == *metadata)
    };
    fs_err::read(place.join(METADATA)).is_ok_and(same)
        && digest::of_variant(place)
            .is_ok_and(|files| metadata.digest.as_ref().is_some_and(|digest| digest.files == files))
}

/// Writes the file that makes the variant complete.
fn write_last(path: &Utf8Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut file = fs_err::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    fs_err::set_permissions(path, PermissionsExt::from_mode(FILE_MODE))
}
