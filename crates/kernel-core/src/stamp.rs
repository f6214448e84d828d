//! The provenance note in a library: which commit its sources were. It is filled in after linking, in place, so that a
//! commit that changes no source needs no compiler. Its layout is that of the identity unit (`identity.c.j2`): an ELF note
//! of owner `kernel-builder` or the Mach-O section `__TEXT,__kb_note`, with a descriptor of 96 bytes.

use std::os::unix::fs::FileExt;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::metadata::GitState;
use miette::Diagnostic;
use object::read::ReadRef;
use object::read::elf::{FileHeader as _, ProgramHeader as _};
use object::read::macho::{MachHeader as _, Section as _, Segment as _};
use object::{Endianness, ReadCache, elf, macho};
use thiserror::Error;

/// Owner of the ELF note, with its terminating zero.
const OWNER: &[u8] = b"kernel-builder\0";
/// Type of the ELF note.
const NOTE_TYPE: u32 = 1;
/// Mach-O segment and section that hold the descriptor.
const SECTION: (&[u8], &[u8]) = (b"__TEXT", b"__kb_note");
/// First bytes of the descriptor: magic and version of its layout.
const MAGIC: &[u8; 8] = b"KBNOTE01";
/// Bytes of the descriptor: magic, object id, state, version of the tool.
const LENGTH: usize = 96;
const OBJECT_ID: std::ops::Range<usize> = 8..72;
const STATE: usize = 72;
const TOOL: std::ops::Range<usize> = 73..96;
/// Largest PT_NOTE segment that is looked into, in bytes.
const LARGEST_SEGMENT: u64 = 1 << 20;

/// What a library says about its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Commit and dirty flag; `None` where they are not known, or the library was never stamped.
    pub kernel: Option<GitState>,
    /// Version of the tool that stamped it; empty where none did.
    pub tool: String,
}

/// Why a library could not be stamped or its note not be read.
#[derive(Debug, Error, Diagnostic)]
pub enum StampError {
    /// The file could not be read or written.
    #[error("could not use the library")]
    #[diagnostic(code("artifact/unreadable"), help("look at the path and the system's reason above"))]
    File(#[from] std::io::Error),

    /// The file is neither ELF nor Mach-O of 64 bits, or is damaged.
    #[error("`{path}` is no 64-bit ELF or Mach-O library")]
    #[diagnostic(code("artifact/library"), help("build the variant again"))]
    Format {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong with it.
        source: object::read::Error,
    },

    /// There is not exactly one note.
    #[error("`{path}` has {count} provenance notes where exactly one is expected")]
    #[diagnostic(
        code("artifact/note"),
        help("the identity unit holds the note: link it once, and do not strip notes")
    )]
    Count {
        /// The file.
        path: Utf8PathBuf,
        /// Notes found.
        count: usize,
    },

    /// The note is not in a layout that is known here.
    #[error("the provenance note of `{path}` has an unknown layout")]
    #[diagnostic(
        code("artifact/note"),
        help("use the kernel-builder that built the library, or a newer one")
    )]
    Layout {
        /// The file.
        path: Utf8PathBuf,
    },
}

/// Writes the state of the kernel's sources and the version of the tool into a library. Nothing else in it changes.
pub fn stamp(path: &Utf8Path, kernel: Option<&GitState>, tool: &str) -> Result<(), StampError> {
    let (offset, _) = find(path)?;
    let mut descriptor = [0; LENGTH];
    descriptor[..MAGIC.len()].copy_from_slice(MAGIC);
    descriptor[STATE] = match kernel {
        None => b'u',
        Some(GitState { dirty: false, .. }) => b'c',
        Some(GitState { dirty: true, .. }) => b'd',
    };
    put(&mut descriptor[OBJECT_ID], kernel.map_or("", |state| state.commit.as_str()));
    put(&mut descriptor[TOOL], tool);
    let file = fs_err::OpenOptions::new().write(true).open(path)?;
    Ok(file.file().write_all_at(&descriptor, offset)?)
}

fn put(field: &mut [u8], text: &str) {
    let length = text.len().min(field.len());
    field[..length].copy_from_slice(&text.as_bytes()[..length]);
}

/// The note of a library; `None` where it has none, so that other tools' libraries can be looked at too.
pub fn read(path: &Utf8Path) -> Result<Option<Note>, StampError> {
    let descriptor = match find(path) {
        Ok((_, descriptor)) => descriptor,
        Err(StampError::Count { count: 0, .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let layout = || StampError::Layout { path: path.to_owned() };
    let text = |field: &[u8]| {
        let length = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
        String::from_utf8_lossy(&field[..length]).into_owned()
    };
    let commit = text(&descriptor[OBJECT_ID]);
    let is_object_id = matches!(commit.len(), 40 | 64) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let kernel = match descriptor[STATE] {
        b'u' => None,
        state @ (b'c' | b'd') if is_object_id => Some(GitState { commit, dirty: state == b'd' }),
        _ => return Err(layout()),
    };
    Ok(Some(Note { kernel, tool: text(&descriptor[TOOL]) }))
}

/// Where the one descriptor is in the file, and its bytes.
fn find(path: &Utf8Path) -> Result<(u64, [u8; LENGTH]), StampError> {
    let (file, _) = fs_err::File::open(path)?.into_parts();
    let cache = ReadCache::new(file);
    let data = &cache;
    let format = |source| StampError::Format { path: path.to_owned(), source };
    let offsets = match data.read_bytes_at(0, 4) {
        Ok([0x7f, b'E', b'L', b'F']) => in_elf(data).map_err(format)?,
        _ => in_mach(data).map_err(format)?,
    };
    let [(offset, size)] = offsets[..] else {
        return Err(StampError::Count { path: path.to_owned(), count: offsets.len() });
    };
    let descriptor = data.read_bytes_at(offset, LENGTH as u64).ok().and_then(|bytes| bytes.try_into().ok());
    match descriptor {
        Some(descriptor) if size == LENGTH as u64 && has_magic(&descriptor) => Ok((offset, descriptor)),
        _ => Err(StampError::Layout { path: path.to_owned() }),
    }
}

fn has_magic(descriptor: &[u8; LENGTH]) -> bool {
    descriptor.starts_with(MAGIC)
}

/// Offsets and sizes of our notes' descriptors, by program headers: section headers may be stripped.
fn in_elf<'data, R: ReadRef<'data>>(data: R) -> object::read::Result<Vec<(u64, u64)>> {
    let header = elf::FileHeader64::<Endianness>::parse(data)?;
    let endian = header.endian()?;
    let mut found = Vec::new();
    for segment in header.program_headers(endian, data)? {
        if segment.p_type(endian) != elf::PT_NOTE {
            continue;
        }
        let (start, size) = segment.file_range(endian);
        // A larger one cannot be ours alone, and a size read from a file is no reason to allocate.
        let bytes = data.read_bytes_at(start, size.min(LARGEST_SEGMENT)).map_err(|()| damaged())?;
        let align = if segment.p_align(endian) == 8 { 8 } else { 4 };
        for (at, size) in descriptors(bytes, align, |bytes| endian_u32(endian, bytes)) {
            let place = (start + at as u64, size as u64);
            // A linker may put one note into two segments.
            if !found.contains(&place) {
                found.push(place);
            }
        }
    }
    Ok(found)
}

fn endian_u32(endian: Endianness, bytes: [u8; 4]) -> u32 {
    match endian {
        Endianness::Little => u32::from_le_bytes(bytes),
        Endianness::Big => u32::from_be_bytes(bytes),
    }
}

/// Our descriptors in the bytes of a note segment: where they begin in it, and how long they are. Notes that run past the
/// end are not followed.
fn descriptors(bytes: &[u8], align: usize, number: impl Fn([u8; 4]) -> u32) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    let word = |at: usize| -> Option<usize> {
        let bytes = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        usize::try_from(number(bytes)).ok()
    };
    while let (Some(owner_size), Some(size), Some(kind)) = (word(at), word(at + 4), word(at + 8)) {
        let owner = at + 12;
        let descriptor = (owner + owner_size).next_multiple_of(align);
        let next = (descriptor + size).next_multiple_of(align);
        let is_ours = bytes.get(owner..owner + owner_size) == Some(OWNER);
        if is_ours && kind == NOTE_TYPE as usize && descriptor + size <= bytes.len() {
            found.push((descriptor, size));
        }
        at = next;
    }
    found
}

fn in_mach<'data, R: ReadRef<'data>>(data: R) -> object::read::Result<Vec<(u64, u64)>> {
    let header = macho::MachHeader64::<Endianness>::parse(data, 0)?;
    let endian = header.endian()?;
    let mut commands = header.load_commands(endian, data, 0)?;
    let mut found = Vec::new();
    while let Some(command) = commands.next()? {
        let Some((segment, rest)) = command.segment_64()? else { continue };
        for section in segment.sections(endian, rest)? {
            if (section.segment_name(), section.name()) == SECTION
                && let Some(range) = section.file_range(endian, 0)
            {
                found.push(range);
            }
        }
    }
    Ok(found)
}

fn damaged() -> object::read::Error {
    // The crate makes its errors itself only; reading nothing from no data gives one.
    match elf::FileHeader64::<Endianness>::parse(&[][..]) {
        Err(error) => error,
        Ok(_) => unreachable!("an empty file has no header"),
    }
}

#[cfg(test)]
mod tests;
