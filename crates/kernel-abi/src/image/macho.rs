//! Mach-O, thin and fat: the load commands, which dyld itself reads.

use std::ops::Range;

use kernel_spec::Version;

use super::facts::{
    Binding, ExecutableStack, Format, Image, Kind, Machine, Object, Record, SearchPath, Section, SymbolKind,
    Visibility, text_at,
};
use super::provenance::{MACHO_SECTION, Provenance, SIZE};
use super::source::{Reader, Source};
use super::{ImageError, content};

const LC_SYMTAB: u32 = 0x2;
const LC_LOAD_DYLIB: u32 = 0xc;
const LC_ID_DYLIB: u32 = 0xd;
const LC_LOAD_WEAK_DYLIB: u32 = 0x8000_0018;
const LC_SEGMENT: u32 = 0x1;
const LC_SEGMENT_64: u32 = 0x19;
const LC_UUID: u32 = 0x1b;
const LC_RPATH: u32 = 0x8000_001c;
const LC_REEXPORT_DYLIB: u32 = 0x8000_001f;
const LC_LOAD_UPWARD_DYLIB: u32 = 0x8000_0023;
const LC_VERSION_MIN_MACOSX: u32 = 0x24;
const LC_BUILD_VERSION: u32 = 0x32;
const PLATFORM_MACOS: u32 = 1;
const MH_ALLOW_STACK_EXECUTION: u32 = 0x2_0000;

/// One architecture after the other of a fat file.
pub(super) fn parse_fat(source: &dyn Source) -> Result<Image, ImageError> {
    let reader = Reader::new(source);
    let [_, _, _, last, a, b, c, d]: [u8; 8] = reader.array("the fat header", 0)?;
    let (count, wide) = (u32::from_be_bytes([a, b, c, d]), last == 0xbf);
    // A Java class begins with the same four bytes; its version stands where the count is.
    if count == 0 || count > 32 {
        return Err(ImageError::NotAnObject { looks_like: "a Java class or an empty fat Mach-O" });
    }
    let entry = if wide { 32 } else { 20 };
    let mut objects = Vec::new();
    for index in 0..u64::from(count) {
        let table = reader.bytes("the fat header", 8 + index * entry, entry)?;
        let word =
            |at: usize| u32::from_be_bytes([table[at], table[at + 1], table[at + 2], table[at + 3]]).into();
        let long = |at: usize| word(at) << 32 | word(at + 4);
        let (offset, size): (u64, u64) = if wide { (long(8), long(16)) } else { (word(8), word(12)) };
        reader.within("an architecture of a fat Mach-O", offset, size)?;
        objects.push(parse(&Reader::of_part(source, offset..offset + size))?);
    }
    Ok(Image { format: Format::MachO, objects })
}

pub(super) fn parse(reader: &Reader<'_>) -> Result<Object, ImageError> {
    let magic: [u8; 4] = reader.array("the Mach-O header", 0)?;
    let (little, wide) = match magic {
        [0xce, 0xfa, 0xed, 0xfe] => (true, false),
        [0xcf, 0xfa, 0xed, 0xfe] => (true, true),
        [0xfe, 0xed, 0xfa, 0xce] => (false, false),
        [0xfe, 0xed, 0xfa, 0xcf] => (false, true),
        _ => return Err(ImageError::NotAnObject { looks_like: "of no known format" }),
    };
    let header = Command { bytes: reader.bytes("the Mach-O header", 0, 28)?, little };
    let machine = match header.word(4) {
        0x0100_0007 => Machine::X86_64,
        0x0100_000c => Machine::Aarch64,
        7 => Machine::I686,
        other => Machine::Other(other),
    };
    let kind = match header.word(12) {
        6 | 8 => Kind::SharedLibrary,
        2 => Kind::Program,
        1 => Kind::Relocatable,
        _ => Kind::Other,
    };
    let mut object = Object::new(machine, kind);
    if header.word(24) & MH_ALLOW_STACK_EXECUTION != 0 {
        object.executable_stack = ExecutableStack::Yes;
    }
    let start = if wide { 32 } else { 28 };
    let commands = reader.bytes("the load commands", start, header.word(20).into())?;
    let mut rest = commands.as_slice();
    let mut texts = Vec::new();
    for _ in 0..header.word(16) {
        let Some(command) = Command::first(rest, little) else {
            return Err(ImageError::Malformed { what: "its load commands end within one" });
        };
        rest = &rest[command.bytes.len()..];
        take(reader, &command, wide, &mut object, &mut texts)?;
    }
    object.marks = content::scan(reader, &texts, &[])?;
    Ok(object)
}

/// One load command; everything outside it reads as zero.
struct Command {
    bytes: Vec<u8>,
    little: bool,
}

impl Command {
    fn first(rest: &[u8], little: bool) -> Option<Self> {
        let head = Self { bytes: rest.get(..8)?.to_vec(), little };
        let length = usize::try_from(head.word(4)).ok().filter(|length| *length >= 8)?;
        Some(Self { bytes: rest.get(..length)?.to_vec(), little })
    }

    fn word(&self, at: usize) -> u32 {
        let bytes = self.bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default();
        if self.little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    }

    fn long(&self, at: usize) -> u64 {
        let (first, second) = (u64::from(self.word(at)), u64::from(self.word(at + 4)));
        if self.little { second << 32 | first } else { first << 32 | second }
    }

    /// The text that begins where the word at `at` says.
    fn text(&self, at: usize) -> String {
        String::from_utf8_lossy(text_at(&self.bytes, self.word(at))).into_owned()
    }

    /// A name in a field of 16 bytes.
    fn name(&self, at: usize) -> &[u8] {
        let field = self.bytes.get(at..at + 16).unwrap_or_default();
        field.split(|byte| *byte == 0).next().unwrap_or_default()
    }
}

fn take(
    reader: &Reader<'_>,
    command: &Command,
    wide: bool,
    object: &mut Object,
    texts: &mut Vec<(Range<u64>, bool)>,
) -> Result<(), ImageError> {
    match command.word(0) {
        LC_ID_DYLIB => object.name = Some(command.text(8)),
        LC_LOAD_DYLIB | LC_LOAD_WEAK_DYLIB | LC_REEXPORT_DYLIB | LC_LOAD_UPWARD_DYLIB => {
            object.needed.push(command.text(8));
        }
        LC_RPATH => object.search_paths.push(SearchPath { tag: "LC_RPATH", path: command.text(8) }),
        LC_VERSION_MIN_MACOSX => object.minimum_macos = Some(version(command.word(8))),
        LC_BUILD_VERSION if command.word(8) == PLATFORM_MACOS => {
            object.minimum_macos = Some(version(command.word(12)));
        }
        LC_UUID => {
            let id = command.bytes.get(8..24).unwrap_or_default();
            object.build_id = Some(id.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        LC_SYMTAB => symbols(reader, command, wide, object)?,
        LC_SEGMENT | LC_SEGMENT_64 => segment(reader, command, object, texts)?,
        _ => {}
    }
    Ok(())
}

/// `xxxx.yy.zz` in nibbles; a zero patch is not written by anybody.
fn version(packed: u32) -> Version {
    Version::major_minor((packed >> 16).into(), (packed >> 8 & 0xff).into())
}

fn segment(
    reader: &Reader<'_>,
    command: &Command,
    object: &mut Object,
    texts: &mut Vec<(Range<u64>, bool)>,
) -> Result<(), ImageError> {
    let wide = command.word(0) == LC_SEGMENT_64;
    let (count_at, first, size) = if wide { (64, 72, 80) } else { (48, 56, 68) };
    for index in 0..(command.word(count_at) as usize).min(command.bytes.len() / size) {
        let at = first + index * size;
        let (name, segment) = (command.name(at), command.name(at + 16));
        let (length, offset) = if wide {
            (command.long(at + 40), command.word(at + 48))
        } else {
            (command.word(at + 36).into(), command.word(at + 40))
        };
        // Sections without bytes in the file have no offset.
        if offset == 0 {
            continue;
        }
        reader.within("a section", offset.into(), length)?;
        let shown = format!("{},{}", String::from_utf8_lossy(segment), String::from_utf8_lossy(name));
        object.sections.push(Section { name: shown, size: length });
        if (segment, name) == MACHO_SECTION && length == SIZE as u64 {
            let descriptor: [u8; SIZE] = reader.array("the provenance note", offset.into())?;
            object.provenance.extend(Provenance::read(&descriptor, offset.into()));
        }
        if segment == b"__TEXT" && matches!(name, b"__cstring" | b"__const") {
            let start = u64::from(offset);
            texts.push((start..start + length, false));
        }
    }
    Ok(())
}

fn symbols(
    reader: &Reader<'_>,
    command: &Command,
    wide: bool,
    object: &mut Object,
) -> Result<(), ImageError> {
    const STAB: u8 = 0xe0;
    const EXTERNAL: u8 = 0x01;
    const PRIVATE: u8 = 0x10;
    const WEAK: u16 = 0x40 | 0x80;
    let entry = if wide { 16 } else { 12 };
    let (start, count) = (u64::from(command.word(8)), u64::from(command.word(12)));
    object.strings = reader.bytes("the table of names", command.word(16).into(), command.word(20).into())?;
    let range = start..start.saturating_add(count * entry);
    reader.walk("the table of symbols", range, (entry, 0), |piece, _, _| {
        for symbol in piece.chunks_exact(usize::try_from(entry).unwrap_or(16)) {
            let symbol = Command { bytes: symbol.to_vec(), little: command.little };
            let [kind, _, low, high] = [symbol.bytes[4], symbol.bytes[5], symbol.bytes[6], symbol.bytes[7]];
            let description = if command.little {
                u16::from_le_bytes([low, high])
            } else {
                u16::from_be_bytes([low, high])
            };
            if kind & STAB != 0 || kind & EXTERNAL == 0 {
                continue;
            }
            reader.spend(size_of::<Record>() as u64)?;
            // C names carry an underscore in front.
            let name = symbol.word(0);
            let underscore = object.strings.get(name as usize) == Some(&b'_');
            object.records.push(Record {
                superseded: false,
                callable: true,
                name: name.saturating_add(underscore.into()),
                version: 0,
                binding: if description & WEAK == 0 { Binding::Global } else { Binding::Weak },
                kind: SymbolKind::Other,
                visibility: if kind & PRIVATE == 0 { Visibility::Default } else { Visibility::Hidden },
                defined: kind & 0x0e != 0,
            });
        }
        Ok(true)
    })
}
