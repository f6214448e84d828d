//! Whole wheels: pieces are appended to a file, so that a download that was killed goes on where it broke off; what is
//! handed out has the size and the hash that the index promised.

use std::io::Write;

use camino::Utf8Path;
use kernel_hub::http::{Client, Download, HttpError, Request};

use super::resolve::Wheel;
use crate::toolchain::fingerprint::sha256;

/// Bytes asked for at a time.
const PIECE: u64 = 8 << 20;

/// Brings a wheel to `path`; `size` is known where its server hands out parts, and `progress` hears of the bytes that are
/// there.
pub(super) fn fetch(
    client: &Client,
    wheel: &Wheel,
    size: Option<u64>,
    path: &Utf8Path,
    progress: &mut dyn FnMut(u64),
) -> Result<(), HttpError> {
    let Some(size) = size else {
        let mut download = Download::new(wheel.address.clone(), path).token(wheel.token.as_ref());
        if let Some(sha256) = bytes(&wheel.sha256) {
            download = download.sha256(sha256);
        }
        client.download(&download, &mut |done, _| progress(done))?;
        return Ok(());
    };
    append(client, wheel, (path, size), progress)?;
    let found = sha256(path).map_err(HttpError::Write)?;
    if found != wheel.sha256 {
        // What is wrong must not be gone on with.
        fs_err::remove_file(path).map_err(HttpError::Write)?;
        let reason = format!("its SHA-256 is {found} instead of {}", wheel.sha256);
        return Err(HttpError::Content { address: wheel.file.clone(), path: path.to_owned(), reason });
    }
    Ok(())
}

/// Piece by piece, after what an earlier try has left.
fn append(
    client: &Client,
    wheel: &Wheel,
    (path, size): (&Utf8Path, u64),
    progress: &mut dyn FnMut(u64),
) -> Result<(), HttpError> {
    let open = || fs_err::OpenOptions::new().create(true).append(true).open(path);
    let mut file = open().map_err(HttpError::Write)?;
    let mut done = file.metadata().map_err(HttpError::Write)?.len();
    if done > size {
        file.set_len(0).map_err(HttpError::Write)?;
        done = 0;
    }
    while done < size {
        progress(done);
        let end = (done + PIECE).min(size);
        let request = Request::get(&wheel.address)
            .token(wheel.token.as_ref())
            .header("range", format!("bytes={done}-{}", end - 1));
        let answer = client.send(&request)?.success()?;
        if answer.status != 206 || answer.body.len() as u64 != end - done {
            let reason = "it is another part of the file than was asked for".to_owned();
            return Err(HttpError::Answer { address: answer.address.to_string(), reason });
        }
        file.write_all(&answer.body).map_err(HttpError::Write)?;
        done = end;
    }
    progress(done);
    file.sync_all().map_err(HttpError::Write)
}

fn bytes(hexadecimal: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if hexadecimal.len() != 64 || !hexadecimal.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hexadecimal[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}
