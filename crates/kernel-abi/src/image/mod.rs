//! Bytes to facts: what a library says about itself. Only what the system's loader itself uses decides (program
//! headers, the dynamic segment, load commands), so that stripping a library, or clearing its section headers, changes
//! nothing; section headers serve for showing sizes alone.

mod content;
mod elf;
mod facts;
mod gpu;
mod macho;
pub mod provenance;
mod source;

use std::io;

use kernel_spec::Finding;
use kernel_spec::code::abi;
use kernel_spec::finding::Subject;
use source::Reader;

pub(crate) use content::LAST_WORDS;
pub use facts::{
    Binding, ExecutableStack, GpuCode, GpuKind, Image, Kind, Machine, MarkKind, Object, Relro, Request,
    SearchPath, Section, Symbol, SymbolKind, System, Visibility,
};
pub use facts::{Format, Mark, VersionNode};
pub use gpu::COMPRESSED;
pub use source::Source;

/// Why a file has no facts.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The system did not give the bytes.
    #[error("the file could not be read")]
    Read(#[source] io::Error),
    /// There are no bytes.
    #[error("the file is empty")]
    Empty,
    /// It is something else.
    #[error("the file is no shared library but {looks_like}")]
    NotAnObject {
        /// What it looks like.
        looks_like: &'static str,
    },
    /// It ends too early.
    #[error("the file ends too early: {what} reaches to byte {needs} of {size}")]
    Truncated {
        /// What is missing.
        what: &'static str,
        /// The size that the file should have at least.
        needs: u64,
        /// The size that it has.
        size: u64,
    },
    /// Its tables contradict themselves.
    #[error("the file is damaged: {what}")]
    Malformed {
        /// What is wrong.
        what: &'static str,
    },
}

impl ImageError {
    /// What to tell the user about `file`.
    pub fn finding(&self, file: &str) -> Finding {
        let finding = match self {
            Self::Read(cause) => Finding::error(&abi::UNREADABLE, format!("`{file}` could not be read"))
                .cause(cause.to_string()),
            Self::Empty | Self::NotAnObject { .. } => {
                Finding::error(&abi::NOT_AN_OBJECT, format!("`{file}` is no shared library"))
                    .cause(self.to_string())
            }
            Self::Truncated { .. } | Self::Malformed { .. } => {
                Finding::error(&abi::DAMAGED, format!("`{file}` is damaged")).cause(self.to_string())
            }
        };
        finding.about(Subject { file: Some(file.to_owned()), ..Subject::default() })
    }
}

impl Image {
    /// Reads the facts of a library: ELF (32 and 64 bits, both byte orders), Mach-O (thin and fat) and PE, which is
    /// identified only. Memory stays below the size of the file and an eighth, beside some pieces of fixed size, whatever its bytes say; GPU payload is not read.
    pub fn parse(source: &dyn Source) -> Result<Self, ImageError> {
        let mut magic = [0; 4];
        let size = source.size();
        if size == 0 {
            return Err(ImageError::Empty);
        }
        let known = usize::try_from(size).unwrap_or(usize::MAX).min(magic.len());
        source.read(0, &mut magic[..known]).map_err(ImageError::Read)?;
        match magic {
            [0x7f, b'E', b'L', b'F'] => {
                let object = elf::parse(&Reader::new(source))?;
                Ok(Self { format: Format::Elf, objects: vec![object] })
            }
            [0xca, 0xfe, 0xba, 0xbe | 0xbf] => macho::parse_fat(source),
            [0xfe, 0xed, 0xfa, 0xce | 0xcf] | [0xce | 0xcf, 0xfa, 0xed, 0xfe] => {
                let object = macho::parse(&Reader::new(source))?;
                Ok(Self { format: Format::MachO, objects: vec![object] })
            }
            [b'M', b'Z', ..] => pe(&Reader::new(source)),
            _ => Err(ImageError::NotAnObject { looks_like: guess(source) }),
        }
    }
}

/// A PE file is told apart by its machine and not judged.
fn pe(reader: &Reader<'_>) -> Result<Image, ImageError> {
    let at = u32::from_le_bytes(reader.array("the DOS header", 0x3c)?);
    let [p, e, zero, null, low, high] = reader.array("the PE header", at.into())?;
    if [p, e, zero, null] != *b"PE\0\0" {
        return Err(ImageError::NotAnObject { looks_like: "a DOS program" });
    }
    let machine = match u16::from_le_bytes([low, high]) {
        0x8664 => Machine::X86_64,
        0xaa64 => Machine::Aarch64,
        0x014c => Machine::I686,
        other => Machine::Other(other.into()),
    };
    Ok(Image { format: Format::Pe, objects: vec![Object::new(machine, Kind::SharedLibrary)] })
}

/// Names the usual wrong files, because "not an object" alone does not say what happened.
fn guess(source: &dyn Source) -> &'static str {
    let mut head = [0; 512];
    let length = usize::try_from(source.size()).unwrap_or(usize::MAX).min(head.len());
    if source.read(0, &mut head[..length]).is_err() {
        return "unreadable";
    }
    let head = &head[..length];
    let starts = |prefix: &[u8]| head.starts_with(prefix);
    let contains = |text: &str| head.windows(text.len()).any(|window| window == text.as_bytes());
    if starts(b"!<arch>\n") || starts(b"!<thin>\n") {
        "a static archive"
    } else if starts(b"BC\xc0\xde") || starts(b"\xde\xc0\x17\x0b") {
        "LLVM bitcode (built with link-time optimisation?)"
    } else if starts(b"PK\x03\x04") {
        "a zip archive"
    } else if starts(b"version https://git-lfs") {
        "a pointer of Git LFS: the real file was not fetched"
    } else if contains("GROUP") || contains("INPUT") || contains("GNU ld script") {
        "a linker script"
    } else if head.iter().all(|&byte| byte == 0) {
        "a run of zero bytes"
    } else if std::str::from_utf8(head).is_ok() {
        "text"
    } else {
        "of no known format"
    }
}
