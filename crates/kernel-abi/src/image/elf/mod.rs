//! ELF: header, program headers and the dynamic segment. This is what the system's loader reads; section headers may
//! be absent, empty or wrong, and serve only for the table of sizes.

mod dynamic;
mod hash;
mod notes;
mod processor;
mod relocating;
mod relocations;
mod sections;
mod segments;
mod symbols;
mod unwinding;
mod versions;

use object::elf as raw;
use object::pod;
use object::read::elf::FileHeader;
use object::{Endian, Endianness};

use super::facts::{ExecutableStack, Kind, Machine, Object, Relro};
use super::source::{self, Reader};
use super::{ImageError, content, gpu};

pub(crate) use relocations::Relocations;
pub(crate) use segments::Segments;

pub(super) fn parse(reader: &Reader<'_>) -> Result<Object, ImageError> {
    let [_, _, _, _, class, order, ..]: [u8; 16] = reader.array("the ELF header", 0)?;
    match (class, order) {
        (1, 1 | 2) => parse_class::<raw::FileHeader32<Endianness>>(reader, order == 1),
        (2, 1 | 2) => parse_class::<raw::FileHeader64<Endianness>>(reader, order == 1),
        _ => Err(ImageError::Malformed { what: "its ELF class or byte order is unknown" }),
    }
}

fn parse_class<E: FileHeader<Endian = Endianness>>(
    reader: &Reader<'_>,
    little: bool,
) -> Result<Object, ImageError> {
    let endian = if little { Endianness::Little } else { Endianness::Big };
    let bytes = reader.bytes("the ELF header", 0, size_of::<E>() as u64)?;
    let header: &E = cast(&bytes)?;
    let mut segments = Segments::read::<E>(reader, header, endian)?;
    if segments.overlap() || segments.share_bytes() {
        return Err(ImageError::Malformed {
            what: "two of its segments claim the same memory, or the same bytes of the file",
        });
    }
    let dynamic = dynamic::Dynamic::read::<E>(reader, &segments, endian)?;
    segments.tables = dynamic.tables().collect();

    let mut object = Object::new(machine(header, endian), kind(header, &segments, &dynamic, endian));
    dynamic.describe(reader, &segments, &mut object)?;
    dynamic.find_code(reader, &segments)?;
    object.refusals = refusals(header, &segments, &dynamic, endian);
    object.small_pages = segments.off_large_pages;
    object.thread_storage = segments.thread_storage;
    object.thread_alignment = segments.thread_alignment();
    object.writable_code = segments.loads.iter().any(|load| load.writable && load.executable);
    object.executable_stack = match segments.stack_flags {
        // Without any header nothing is loaded at all.
        None if segments.count == 0 => ExecutableStack::No,
        None => ExecutableStack::Unstated,
        Some(flags) if flags & raw::PF_X.0 != 0 => ExecutableStack::Yes,
        Some(_) => ExecutableStack::No,
    };
    object.relro = match (segments.relro, dynamic.binds_now()) {
        (false, _) => Relro::None,
        (true, false) => Relro::Partial,
        (true, true) => Relro::Full,
    };
    let relocations = Relocations::new::<E>(&dynamic, &segments, endian);
    let (tables, gpu) = source::beside(
        reader,
        || {
            object.unwinds = unwinding::is_usable(reader, &segments)?;
            versions::read(reader, &segments, &dynamic, endian, &mut object)?;
            symbols::read::<E>(reader, &segments, &dynamic, endian, &mut object)?;
            notes::read(reader, &segments, endian, &mut object)?;
            (object.sections, object.cut) = sections::read::<E>(reader, header, endian)?;
            Ok(())
        },
        |reader| gpu::find(reader, &segments, &relocations),
    );
    tables?;
    let (code, payload) = gpu?;
    object.gpu = code;

    let throws = object.may_throw_itself();
    let loads = segments.loads.iter().filter(|load| load.may_tell(throws));
    let loads = loads.map(|load| (load.file.clone(), load.executable));
    object.marks = content::scan(reader, &loads.collect::<Vec<_>>(), &payload)?;
    Ok(object)
}

/// What glibc's loader looks at before anything else (`elf/dl-load.c`), and what a library without symbols lacks.
fn refusals<E: FileHeader<Endian = Endianness>>(
    header: &E,
    segments: &Segments,
    dynamic: &dynamic::Dynamic,
    endian: Endianness,
) -> Vec<&'static str> {
    const SYSTEM_V: u8 = 0;
    const GNU: u8 = 3;
    let identity = header.e_ident();
    let checks = [
        (identity.version.0 != 1 || header.e_version(endian) != 1, "its ELF version is not 1"),
        (!matches!(identity.os_abi.0, SYSTEM_V | GNU), "its header names the ABI of another system"),
        (identity.abi_version != 0, "its header names a version of an ABI"),
        (identity.padding.iter().any(|byte| *byte != 0), "reserved bytes of its header are in use"),
        (segments.count == 0, "it has no program headers"),
        (segments.count != 0 && segments.loads.is_empty(), "it has no segment to load"),
        (!segments.in_order(), "its segments are not in the order of their addresses"),
        (segments.off_pages, "its segments do not begin where pages of memory can"),
        (segments.misplaced, "its segments have an alignment that memory cannot have"),
        (segments.unaligned, "its segments are not aligned to pages, which glibc refused until 2.35"),
        (
            !dynamic.is_complete(),
            "its dynamic segment names tables without their sizes, or sizes without tables",
        ),
        (
            segments.beyond,
            "its segments take more memory than there is, or than they may write to, or protect some that they do not take",
        ),
        (!segments.shows_all(), "one of its segments can be neither read nor run"),
        (segments.elsewhere, "its program headers are not where they say"),
        (
            !segments.stores_for_threads(),
            "what it stores for each thread lies outside of its segments, or is larger than it says",
        ),
        (!segments.protects_data(), "it protects memory that does not lie within one writable segment"),
        (
            matches!(machine(header, endian), Machine::X86_64 | Machine::Aarch64) && !dynamic.has_addends(),
            "its relocations have a form that this processor's loader does not know",
        ),
        (!dynamic.has_whole_arrays(), "it has an empty or uneven table of what runs at its start or end"),
        (!dynamic.has_known_entries::<E>(), "entries of its tables have another size than they must have"),
        // A program without one needs nothing of anybody.
        (
            segments.count != 0 && segments.dynamic.is_none() && header.e_type(endian) == raw::ET_DYN,
            "it has no dynamic segment",
        ),
        (segments.dynamic.is_some() && !dynamic.has_symbols(), "it has no table of dynamic symbols"),
    ];
    checks.into_iter().filter(|(fails, _)| *fails).map(|(_, why)| why).collect()
}

fn machine<E: FileHeader<Endian = Endianness>>(header: &E, endian: Endianness) -> Machine {
    let number = header.e_machine(endian);
    match (number, header.is_type_64(), endian.is_little_endian()) {
        (raw::EM_X86_64, true, true) => Machine::X86_64,
        (raw::EM_AARCH64, true, true) => Machine::Aarch64,
        (raw::EM_386, false, true) => Machine::I686,
        (raw::EM_ARM, false, true) => Machine::Armv7l,
        (raw::EM_PPC64, true, true) => Machine::Ppc64le,
        (raw::EM_PPC64, true, false) => Machine::Ppc64,
        (raw::EM_RISCV, true, true) => Machine::Riscv64,
        (raw::EM_S390, true, false) => Machine::S390x,
        (raw::EM_LOONGARCH, true, true) => Machine::Loongarch64,
        _ => Machine::Other(number.0.into()),
    }
}

fn kind<E: FileHeader<Endian = Endianness>>(
    header: &E,
    segments: &Segments,
    dynamic: &dynamic::Dynamic,
    endian: Endianness,
) -> Kind {
    match header.e_type(endian) {
        // libc.so.6 has an interpreter too, and libraries need no name: but only programs say that they are
        // position-independent programs, or have a place for debuggers.
        raw::ET_DYN
            if dynamic.is_program()
                || segments.interpreter && dynamic.is_debugged() && !dynamic.has_name() =>
        {
            Kind::Program
        }
        raw::ET_DYN => Kind::SharedLibrary,
        raw::ET_EXEC => Kind::Program,
        raw::ET_REL => Kind::Relocatable,
        _ => Kind::Other,
    }
}

/// A structure at the beginning of bytes.
fn cast<T: pod::Pod>(bytes: &[u8]) -> Result<&T, ImageError> {
    let (value, _) = pod::from_bytes(bytes)
        .map_err(|()| ImageError::Malformed { what: "a table ends within an entry" })?;
    Ok(value)
}

/// All whole structures in bytes.
fn cast_all<T: pod::Pod>(bytes: &[u8]) -> &[T] {
    pod::slice_from_bytes(bytes, bytes.len() / size_of::<T>()).map_or(&[], |(entries, _)| entries)
}
