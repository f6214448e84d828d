//! A library on disk, read by position: a few tables and its read-only data, never the GPU code, never the whole file.

use std::io;

use camino::Utf8Path;
use fs_err::os::unix::fs::FileExt;
use kernel_abi::image::Source;
use kernel_abi::{Image, ImageError};

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
}

/// The facts of the library at a path.
pub fn read(path: &Utf8Path) -> Result<Image, ImageError> {
    let file = fs_err::File::open(path).map_err(ImageError::Read)?;
    let meta = file.metadata().map_err(ImageError::Read)?;
    if !meta.is_file() {
        return Err(ImageError::Read(io::Error::other(format!("`{path}` is no regular file"))));
    }
    Image::parse(&LibraryFile { file, size: meta.len() })
}

/// Whether a file counts as a library: by its name, or by its first bytes whatever its name is. A name decides alone
/// where the bytes cannot be read, so that such a file is reported and not passed over.
pub fn is_library(path: &Utf8Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let extension = |suffix: &str| name.to_ascii_lowercase().ends_with(suffix);
    let named =
        [".so", ".dylib", ".pyd", ".dll"].iter().any(|suffix| extension(suffix)) || name.contains(".so.");
    named || begins_like_one(path).unwrap_or(false)
}

fn begins_like_one(path: &Utf8Path) -> io::Result<bool> {
    let file = fs_err::File::open(path)?;
    let mut magic = [0; 4];
    Ok(file.metadata()?.is_file()
        && file.read_exact_at(&mut magic, 0).is_ok()
        && matches!(
            magic,
            [0x7f, b'E', b'L', b'F'] | [0xcf | 0xce, 0xfa, 0xed, 0xfe] | [0xca, 0xfe, 0xba, 0xbe | 0xbf]
        ))
}
