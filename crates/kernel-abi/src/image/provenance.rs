//! The provenance note: which commit a library was made from. Its place is found here, so that whoever fills it in and
//! whoever reads it agree; the layout is that of the generated identity unit.

/// Owner of the ELF note.
pub const OWNER: &[u8] = b"kernel-builder";
/// Type of the ELF note.
pub const TYPE: u32 = 1;
/// Segment and section of the descriptor in Mach-O.
pub const MACHO_SECTION: (&[u8], &[u8]) = (b"__TEXT", b"__kb_note");
/// Bytes of the descriptor.
pub const SIZE: usize = 96;
/// Its first bytes: magic and format version.
pub const MAGIC: &[u8; 8] = b"KBNOTE01";

/// Where the object id of the commit stands in the descriptor: lower-case hexadecimal, the rest NUL.
pub const OBJECT_ID: std::ops::Range<usize> = 8..72;
/// Where the state of the working tree stands: `u`, `c` or `d`.
pub const STATE: usize = 72;
/// Where the version of the tool stands: ASCII, the rest NUL.
pub const TOOL: std::ops::Range<usize> = 73..96;

/// A provenance note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Where the descriptor begins in the file (in the slice of a fat one), in bytes.
    pub offset: u64,
    /// The commit, once it was filled in.
    pub commit: Option<String>,
    /// Whether the working tree had changes; `None` where that is not known.
    pub dirty: Option<bool>,
    /// Version of the kernel-builder that filled it in.
    pub tool: Option<String>,
}

impl Provenance {
    /// Reads a descriptor that stands at `offset`; `None` where it is none of ours.
    pub fn read(descriptor: &[u8], offset: u64) -> Option<Self> {
        if descriptor.len() != SIZE || !descriptor.starts_with(MAGIC) {
            return None;
        }
        let dirty = match descriptor[STATE] {
            b'c' => Some(false),
            b'd' => Some(true),
            _ => None,
        };
        let commit =
            text(&descriptor[OBJECT_ID]).filter(|id| id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        Some(Self { offset, commit, dirty, tool: text(&descriptor[TOOL]) })
    }
}

/// Printable ASCII up to the first NUL; anything else was not written by us.
fn text(field: &[u8]) -> Option<String> {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    let text = std::str::from_utf8(&field[..end]).ok()?;
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| text.to_owned())
}
