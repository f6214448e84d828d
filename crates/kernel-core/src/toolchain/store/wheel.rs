//! Members of a wheel on their way to disk. Each is held against the wheel's own list of its files and their hashes, also
//! where the wheel as a whole was never seen.

use std::collections::BTreeMap;
use std::io::{Read, Seek, Write};
use std::os::unix::fs::PermissionsExt;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};
use zip::ZipArchive;

use super::part::{Part, Taken};

/// The largest list of files that is read, and the largest member that is unpacked, in bytes.
const LARGEST: u64 = 2 << 30;

/// Why a wheel cannot be unpacked.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the texts are the documentation")]
pub enum WheelError {
    #[error("it is no wheel")]
    Zip(#[from] zip::result::ZipError),
    #[error("it cannot be read")]
    Read(#[from] std::io::Error),
    #[error("what is in it cannot be written")]
    Write(#[source] std::io::Error),
    #[error("it has no list of its files (`RECORD`)")]
    NoRecord,
    #[error("`{0}` is not what its `RECORD` says")]
    Content(String),
    #[error("it holds nothing of what is needed")]
    Nothing,
}

/// Unpacks what is taken of a wheel into a directory.
pub(super) fn unpack(
    source: impl Read + Seek,
    part: &Part,
    taken: Taken,
    into: &Utf8Path,
) -> Result<(), WheelError> {
    let mut archive = ZipArchive::new(source)?;
    let recorded = recorded(&mut archive)?;
    let wanted = |name: &str| !name.ends_with('/') && part.takes(taken, name);
    let names = archive.file_names().enumerate();
    // By the table of contents alone and in its order: a look at each member would read all of a file on a server.
    let members: Vec<usize> = names
        .filter(|(_, name)| name.as_ref().is_ok_and(|name| wanted(name)))
        .map(|(index, _)| index)
        .collect();
    if members.is_empty() {
        return Err(WheelError::Nothing);
    }
    for index in members {
        let mut member = archive.by_index(index)?;
        let name = member.name()?.into_owned();
        let wrong = || WheelError::Content(name.escape_debug().to_string());
        let inside = member.enclosed_name().and_then(|path| Utf8PathBuf::try_from(path).ok());
        let (Some(inside), Some(expected)) = (inside, recorded.get(&name)) else { return Err(wrong()) };
        let executable = member.unix_mode().is_some_and(|mode| mode & 0o111 != 0);
        let target = into.join(part.place(&inside));
        fs_err::create_dir_all(target.parent().unwrap_or(into)).map_err(WheelError::Write)?;
        if write(&mut member, &target, executable)? != *expected {
            return Err(wrong());
        }
    }
    Ok(())
}

/// The hash of every file, from the list that each wheel holds.
fn recorded(archive: &mut ZipArchive<impl Read + Seek>) -> Result<BTreeMap<String, String>, WheelError> {
    let is_record = |name: &str| name.ends_with(".dist-info/RECORD") && name.matches('/').count() == 1;
    let mut names = archive.file_names().filter_map(Result::ok);
    let name = names.find(|name| is_record(name)).ok_or(WheelError::NoRecord)?.into_owned();
    drop(names);
    let mut text = String::new();
    archive.by_name(&name)?.take(LARGEST).read_to_string(&mut text)?;
    let entries = text.lines().filter_map(|line| {
        let mut fields = line.rsplitn(3, ',');
        let (_, hash, path) = (fields.next()?, fields.next()?, fields.next()?);
        Some((path.trim_matches('"').replace("\"\"", "\""), hash.strip_prefix("sha256=")?.to_owned()))
    });
    Ok(entries.collect())
}

/// Writes a member and answers its hash in the list's spelling. Nobody writes to it again, so it is made read-only.
fn write(member: &mut impl Read, target: &Utf8Path, executable: bool) -> Result<String, WheelError> {
    let mut file = fs_err::File::create_new(target).map_err(WheelError::Write)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    let mut room = LARGEST;
    loop {
        let count = member.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        room =
            room.checked_sub(count as u64).ok_or_else(|| std::io::Error::other("a member is too large"))?;
        hasher.update(&buffer[..count]);
        file.write_all(&buffer[..count]).map_err(WheelError::Write)?;
    }
    let mode = std::fs::Permissions::from_mode(if executable { 0o555 } else { 0o444 });
    file.set_permissions(mode).map_err(WheelError::Write)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(hasher.finalize()))
}
