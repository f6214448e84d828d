//! Reading files of any length to their end, or until the user asks for the end. Digests are made far below any context,
//! and a signal is the whole process's, so the switch that ends them is the process's too.

use std::io::{Error, ErrorKind, Read, Result};
use std::sync::OnceLock;

use camino::Utf8Path;
use kernel_hub::confined::open_regular;

use crate::context::Cancellation;

/// Bytes read at a time.
pub const PIECE: usize = 64 << 10;

static ENDS: OnceLock<Cancellation> = OnceLock::new();

/// From now on this switch ends every reading of the process; only the first call counts.
pub fn end_with(cancelled: &Cancellation) {
    ENDS.get_or_init(|| cancelled.clone());
}

/// Hands a file on piece by piece, through a buffer that serves for many; answers its length. A reading that was ended is
/// an error, and the switch knows of it.
pub fn pieces(path: &Utf8Path, buffer: &mut [u8], take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<u64> {
    let mut file = open_regular(path)?;
    let mut size = 0;
    loop {
        if ENDS.get().is_some_and(Cancellation::cuts_short) {
            return Err(Error::other(format!("reading `{path}` was interrupted")));
        }
        match file.read(buffer) {
            Ok(0) => return Ok(size),
            Ok(count) => {
                take(&buffer[..count])?;
                size += count as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
