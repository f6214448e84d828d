//! Cutting a stream of bytes into lines of bounded length, because a child that never writes a newline must not be able
//! to fill memory.

use std::io::{BufRead, BufReader, Read};

/// Longest line that is passed on, in bytes; the rest of a longer one follows as a line of its own.
const LONGEST: u64 = 32 << 10;

/// Gives each line, without its end and with bytes that are no UTF-8 replaced, to `each` until the stream ends or `each`
/// returns false.
pub(super) fn read(stream: impl Read, mut each: impl FnMut(String) -> bool) {
    let mut stream = BufReader::with_capacity(64 << 10, stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match stream.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                while matches!(line.last(), Some(b'\n' | b'\r')) {
                    line.pop();
                }
                if !each(String::from_utf8_lossy(&line).into_owned()) {
                    return;
                }
            }
        }
    }
}
