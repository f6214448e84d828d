//! Byte code in a variant. No digest covers it, and Python runs it in place of a source: what Python itself left beside the
//! sources when it imported them is told from everything else by its header (PEP 552).

use std::hash::Hasher;
use std::os::unix::fs::MetadataExt;

use camino::Utf8Path;
use siphasher::sip::{SipHasher13, SipHasher24};

use crate::regular;
use crate::tree::{self, Kind, TreeError};

/// The folder in which Python keeps it.
const CACHE: &str = "__pycache__";

/// Bytes of a header.
const HEADER: u64 = 16;

/// Largest source that is compared, in bytes.
const LARGEST: u64 = 64 << 20;

/// Byte code of a variant, by path.
#[derive(Debug, Default)]
pub struct Found {
    /// What Python made of the sources as they are.
    pub fitting: Vec<String>,
    /// What it did not, with the reason.
    pub wrong: Vec<(String, String)>,
}

/// All byte code of a variant.
pub fn find(variant: &Utf8Path) -> Result<Found, TreeError> {
    let entries = tree::walk(variant, &|_| true)?;
    let paths =
        entries.into_iter().filter(|entry| entry.kind == Kind::File && tree::is_bytecode(&entry.path));
    let mut found = Found::default();
    for path in paths.map(|entry| entry.path) {
        match judge(variant, &path) {
            Ok(()) => found.fitting.push(path),
            Err(reason) => found.wrong.push((path, reason)),
        }
    }
    Ok(found)
}

/// Whether a file is what Python made of the source beside it, or why not.
fn judge(variant: &Utf8Path, path: &str) -> Result<(), String> {
    let place = Utf8Path::new(path);
    let folder = place.parent().unwrap_or(Utf8Path::new(""));
    if folder.file_name() != Some(CACHE) {
        return Err(format!(
            "Python keeps its own in `{CACHE}`; here, it runs it where the source is missing"
        ));
    }
    let parts: Vec<&str> = place.file_name().unwrap_or_default().split('.').collect();
    let [module, .., "pyc"] = parts.as_slice() else {
        return Err("Python writes no file of this name".to_owned());
    };
    let source = variant.join(folder.parent().unwrap_or(Utf8Path::new(""))).join(format!("{module}.py"));
    let about = fs_err::symlink_metadata(&source).ok().filter(std::fs::Metadata::is_file);
    let about = about.ok_or_else(|| format!("there is no `{module}.py` that it was made of"))?;
    let header = regular::start(&variant.join(path), HEADER).map_err(|error| error.to_string())?;
    let word = |at: usize| {
        header.get(at..at + 4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    };
    let no_header = || "it does not begin as byte code does".to_owned();
    let (Some(magic), Some(flags), Some(first), Some(second)) = (word(0), word(4), word(8), word(12)) else {
        return Err(no_header());
    };
    match flags {
        _ if !header[..4].ends_with(b"\r\n") => Err(no_header()),
        0 => {
            let (time, size) = (about.mtime() & i64::from(u32::MAX), about.size() & u64::from(u32::MAX));
            let fits = i64::from(first) == time && u64::from(second) == size;
            if fits { Ok(()) } else { Err(format!("it was made of another `{module}.py`")) }
        }
        0b01 => Err(format!("Python runs it without looking at `{module}.py`")),
        0b11 => {
            let text = regular::start(&source, LARGEST).map_err(|error| error.to_string())?;
            let hash = &header[8..];
            let fits = hash == hash_of(SipHasher13::new_with_keys(magic.into(), 0), &text)
                || hash == hash_of(SipHasher24::new_with_keys(magic.into(), 0), &text);
            if fits { Ok(()) } else { Err(format!("it was made of another `{module}.py`")) }
        }
        _ => Err(no_header()),
    }
}

/// The hash of a source: by SipHash-1-3 since Python 3.11, by SipHash-2-4 before.
fn hash_of(mut hasher: impl Hasher, text: &[u8]) -> [u8; 8] {
    hasher.write(text);
    hasher.finish().to_le_bytes()
}
