//! A library on disk, read by position: a few tables and its read-only data, never the GPU code, never the whole file.

use std::io;

use camino::Utf8Path;
use fs_err::os::unix::fs::FileExt;
use kernel_abi::image::Source;
use kernel_abi::{Image, ImageError};
use kernel_spec::Finding;
use kernel_spec::code::artifact;
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

use crate::regular;

struct LibraryFile {
    file: fs_err::File,
    size: u64,
}

impl Source for LibraryFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }

    fn content(&self, offset: u64) -> u64 {
        match seek(self.file.file(), SeekFrom::Data(offset)) {
            Ok(place) => place,
            // Nothing but a hole follows.
            Err(Errno::NXIO) => self.size,
            Err(_) => offset,
        }
    }
}

/// The facts of the library at a path.
pub fn read(path: &Utf8Path) -> Result<Image, ImageError> {
    // Before it is opened, which waits where nobody writes to a pipe.
    regular::require(path).map_err(ImageError::Read)?;
    let file = fs_err::File::open(path).map_err(ImageError::Read)?;
    let size = file.metadata().map_err(ImageError::Read)?.len();
    Image::parse(&LibraryFile { file, size })
}

/// Whether a file counts as a library: by its name, or by its first bytes whatever its name is. A name decides alone
/// where the bytes cannot be read, so that such a file is reported and not passed over.
pub fn is_library(path: &Utf8Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let extension = |suffix: &str| name.to_ascii_lowercase().ends_with(suffix);
    // `libname.so.1.2`, and not `usage.so.txt`.
    let is_version = |version: &str| version.split('.').all(|part| part.parse::<u32>().is_ok());
    let versioned = name.rsplit_once(".so.").is_some_and(|(_, version)| is_version(version));
    let named = versioned || [".so", ".dylib", ".pyd", ".dll"].iter().any(|suffix| extension(suffix));
    named || begins_like_one(path).unwrap_or(false)
}

/// Whether nothing is at a path, and its name is not that of a library, which would be missed by name.
pub fn is_missing(path: &Utf8Path) -> bool {
    fs_err::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        && !is_library(path)
}

/// What to say where a directory was named that is not there.
pub fn missing(path: &Utf8Path) -> Finding {
    let help = "build first with `kernel-builder build`, or name the directory that holds the variants";
    Finding::error(&artifact::UNREADABLE, format!("there is no `{path}`")).help(help)
}

fn begins_like_one(path: &Utf8Path) -> io::Result<bool> {
    let magic = regular::start(path, 4)?;
    Ok(matches!(
        magic[..],
        [0x7f, b'E', b'L', b'F'] | [0xcf | 0xce, 0xfa, 0xed, 0xfe] | [0xca, 0xfe, 0xba, 0xbe | 0xbf]
    ))
}
