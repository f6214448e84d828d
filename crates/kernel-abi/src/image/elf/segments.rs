//! Program headers: what is loaded where, and the way from an address to a place in the file.

use std::ops::Range;

use object::Endianness;
use object::elf as raw;
use object::read::elf::{FileHeader, ProgramHeader};

use super::super::ImageError;
use super::super::source::Reader;
use super::cast_all;

/// The smallest page of memory on any of the systems.
const PAGE: u64 = 4096;
/// The largest page that Linux has on 64-bit Arm, and that of the oldest systems there (RHEL 8). Linkers keep to it: so do all
/// 490 libraries of 33 published wheels for aarch64.
const LARGEST_PAGE_OF_ARM: u64 = 65536;

/// A loaded segment, as far as the file backs it.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub(crate) address: u64,
    pub(crate) file: Range<u64>,
    /// Bytes in memory, of which the file backs the first.
    pub(crate) memory: u64,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    pub(crate) executable: bool,
    align: u64,
}

/// More than any library has in memory, in bytes.
const LARGEST: u64 = 1 << 40;

/// More than any library sets aside for each thread, in bytes; and the most that anything there is aligned to.
const LARGEST_STORAGE: u64 = 1 << 30;
const LARGEST_ALIGNMENT: u64 = 1 << 16;

/// The largest alignment of segments, in bytes: the loader takes as much memory more to find such a place.
const LARGEST_PAGE: u64 = 1 << 30;

/// The smallest table by which exceptions leave functions, in bytes: encodings and the address of another one.
const UNWINDING: u64 = 8;

/// Code of more than so many bytes is not read for texts alone: linkers put them elsewhere, and it is most of a library.
const MUCH_CODE: u64 = 16 << 20;

impl Load {
    /// Whether its content has to be looked at in a library that may throw exceptions itself, or does not.
    pub(super) fn may_tell(&self, throws: bool) -> bool {
        // Where the file's own header lies in code, so does all data (`-z noseparate-code`, `--no-rosegment`).
        let only_code = self.executable && !self.writable && self.file.start != 0;
        throws || !only_code || self.file.end - self.file.start <= MUCH_CODE
    }
}

/// A segment that is a part of loaded ones.
#[derive(Clone, Debug)]
pub(super) struct Part {
    address: u64,
    file: Range<u64>,
    pub(super) align: u64,
}

/// The program headers.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    pub(crate) loads: Vec<Load>,
    pub(super) dynamic: Option<Part>,
    pub(super) notes: Vec<Part>,
    pub(super) stack_flags: Option<u32>,
    pub(super) relro: bool,
    /// Addresses that are made read-only after relocation.
    protected: Vec<Range<u64>>,
    pub(super) interpreter: bool,
    /// Bytes of each thread's own storage.
    pub(super) thread_storage: u64,
    /// What that storage begins with.
    thread_start: Option<Part>,
    /// Address that the headers say they have themselves.
    headers: Option<u64>,
    /// Address of the table by which exceptions leave its functions.
    pub(super) unwinding: Option<u64>,
    /// Number of headers.
    pub(super) count: u64,
    /// Whether some segment lies where pages of memory cannot show it.
    pub(super) off_pages: bool,
    /// Whether some segment says that it need not lie on a page.
    pub(super) unaligned: bool,
    /// Whether some segment asks for a place that no memory has.
    pub(super) misplaced: bool,
    /// Whether a segment takes an impossible amount of memory, or what is made read-only lies outside of all.
    pub(super) beyond: bool,
    /// Whether the headers are not where they say.
    pub(super) elsewhere: bool,
    /// Addresses of the tables that are known, among them the headers: no code lies there.
    pub(super) tables: Vec<Range<u64>>,
    /// Bytes of the file's headers, at its beginning.
    header: u64,
    /// Whether some segment cannot be shown on the largest pages of 64-bit Arm.
    pub(super) off_large_pages: bool,
}

impl Segments {
    pub(super) fn read<E: FileHeader<Endian = Endianness>>(
        reader: &Reader<'_>,
        header: &E,
        endian: Endianness,
    ) -> Result<Self, ImageError> {
        let count = u64::from(header.e_phnum(endian));
        if count != 0 && usize::from(header.e_phentsize(endian)) != size_of::<E::ProgramHeader>() {
            return Err(ImageError::Malformed { what: "its program headers have an unknown size" });
        }
        let length = count * size_of::<E::ProgramHeader>() as u64;
        let bytes = reader.bytes("the table of program headers", header.e_phoff(endian).into(), length)?;
        let own = size_of::<E>() as u64;
        let places: u64 = header.e_phoff(endian).into();
        let header_size = if places == own { own + length } else { own };
        let mut segments = Self { count, header: header_size, ..Self::default() };
        for entry in cast_all::<E::ProgramHeader>(&bytes) {
            segments.add(reader, entry, endian)?;
        }
        let loads = &segments.loads;
        let is_loaded = |part: &Range<u64>| {
            loads.iter().any(|load| {
                load.address <= part.start && part.start < load.address.saturating_add(load.memory.max(1))
            })
        };
        segments.beyond |= !segments.protected.iter().filter(|part| !part.is_empty()).all(is_loaded);
        segments.elsewhere = segments.headers.is_some_and(|own| {
            segments.at(own).is_none_or(|place| place.start != header.e_phoff(endian).into())
        });
        Ok(segments)
    }

    fn add<P: ProgramHeader<Endian = Endianness>>(
        &mut self,
        reader: &Reader<'_>,
        entry: &P,
        endian: Endianness,
    ) -> Result<(), ImageError> {
        let (offset, length) = entry.file_range(endian);
        let file = offset..offset.saturating_add(length);
        let (address, align) = (entry.p_vaddr(endian).into(), entry.p_align(endian).into());
        match entry.p_type(endian) {
            raw::PT_LOAD => {
                reader.within("a loaded segment", offset, length)?;
                let is = |flag: raw::ProgramFlags| entry.p_flags(endian).0 & flag.0 != 0;
                let (readable, writable, executable) = (is(raw::PF_R), is(raw::PF_W), is(raw::PF_X));
                let is_on = |page: u64| align % page == 0 && address.wrapping_sub(offset) % page == 0;
                self.off_pages |= !address.wrapping_sub(offset).is_multiple_of(PAGE.max(align));
                self.unaligned |= align % PAGE != 0;
                self.misplaced |= align & align.wrapping_sub(1) != 0 || align > LARGEST_PAGE;
                self.off_large_pages |= !is_on(LARGEST_PAGE_OF_ARM);
                let memory = entry.p_memsz(endian).into();
                // Beyond the file's bytes stand zeros, which the loader writes itself.
                self.beyond |= memory > LARGEST || length > memory || memory > length && !writable;
                self.loads.push(Load { address, file, memory, readable, writable, executable, align });
            }
            raw::PT_DYNAMIC => {
                reader.within("the dynamic segment", offset, length)?;
                // The loader takes one without bytes for that of a file of debug information.
                self.dynamic = Some(Part { address, file, align }).filter(|_| length != 0);
            }
            // glibc takes the properties from a segment of their own where there is one.
            raw::PT_NOTE | raw::PT_GNU_PROPERTY => {
                reader.within("a note segment", offset, length)?;
                self.notes.push(Part { address, file, align });
            }
            raw::PT_TLS => {
                self.thread_storage = entry.p_memsz(endian).into();
                self.thread_start = Some(Part { address, file, align });
            }
            raw::PT_PHDR => self.headers = Some(address),
            raw::PT_GNU_EH_FRAME => {
                self.unwinding = Some(address).filter(|_| entry.p_memsz(endian).into() >= UNWINDING);
            }
            raw::PT_GNU_STACK => self.stack_flags = Some(entry.p_flags(endian).0),
            raw::PT_GNU_RELRO => {
                self.relro = true;
                let memory: u64 = entry.p_memsz(endian).into();
                self.beyond |= address.checked_add(memory).is_none();
                self.protected.push(address..address.saturating_add(memory));
            }
            raw::PT_INTERP => self.interpreter = true,
            _ => {}
        }
        Ok(())
    }

    /// The place in the file of an address, and how many bytes follow it there.
    pub(crate) fn at(&self, address: u64) -> Option<Range<u64>> {
        self.loads.iter().filter(|load| load.readable).find_map(|load| {
            let within = address.checked_sub(load.address)?;
            let start = load.file.start.checked_add(within)?;
            (start < load.file.end).then_some(start..load.file.end)
        })
    }

    /// Whether code lies at an address.
    pub(super) fn holds_code(&self, address: u64) -> bool {
        let holds = |load: &Load| {
            let within = address.checked_sub(load.address).filter(|within| *within < load.memory);
            within.is_some_and(|within| load.file.start.saturating_add(within) >= self.header)
        };
        self.loads.iter().any(|load| load.executable && holds(load))
            && !self.tables.iter().any(|table| table.contains(&address))
    }

    /// Whether an address is right behind a segment of code, where a function without instructions may begin.
    pub(super) fn ends_code(&self, address: u64) -> bool {
        self.loads.iter().any(|load| load.executable && load.address.saturating_add(load.memory) == address)
    }

    /// Whether a pointer may lead to an address: to what the pages of a segment show, or right behind it; to the beginning
    /// of the file's own header, as `__ehdr_start` does, but not into it.
    pub(super) fn holds(&self, address: u64) -> bool {
        self.loads.iter().any(|load| {
            let end = load.address.saturating_add(load.memory);
            let end = end.checked_next_multiple_of(PAGE).unwrap_or(end);
            let within = address.wrapping_sub(load.address);
            load.address <= address
                && address <= end
                && match load.file.start.saturating_add(within) {
                    0 => true,
                    place => within > load.memory || place >= self.header.min(64),
                }
        })
    }

    /// Whether an address is made read-only after relocation: whole pages are.
    pub(super) fn is_protected(&self, address: u64) -> bool {
        self.protected
            .iter()
            .any(|part| part.start / PAGE <= address / PAGE && address / PAGE < part.end / PAGE)
    }

    /// Whether two segments show the same bytes of the file, beyond what pages bring along.
    pub(super) fn share_bytes(&self) -> bool {
        let mut files: Vec<&Range<u64>> =
            self.loads.iter().map(|load| &load.file).filter(|file| !file.is_empty()).collect();
        files.sort_by_key(|file| file.start);
        files.windows(2).any(|pair| pair[0].end > pair[1].start)
    }

    /// Like [`Segments::at`], for an address that must be in the file.
    pub(super) fn table(&self, address: u64) -> Result<Range<u64>, ImageError> {
        self.at(address)
            .ok_or(ImageError::Malformed { what: "a dynamic table lies outside the loaded segments" })
    }

    /// Where the loader reads the dynamic table, and how much of the file follows there: it goes by the address, and on to
    /// the end mark, whatever the header says about the file.
    pub(super) fn dynamic(&self) -> Result<Option<Range<u64>>, ImageError> {
        let Some(part) = &self.dynamic else { return Ok(None) };
        let place = self.table(part.address)?;
        if place.start != part.file.start {
            return Err(ImageError::Malformed { what: "its dynamic segment is not where its header says" });
        }
        Ok(Some(place))
    }

    /// Where the loader reads a note segment; one that is not loaded stays where its header says.
    pub(super) fn note(&self, part: &Part) -> Range<u64> {
        let length = part.file.end - part.file.start;
        match self.at(part.address) {
            Some(place) if length <= place.end - place.start => place.start..place.start + length,
            _ => part.file.clone(),
        }
    }

    /// Whether the beginning of each thread's storage can be copied from where it is said to be.
    pub(super) fn stores_for_threads(&self) -> bool {
        let Some(part) = &self.thread_start else { return true };
        let length = part.file.end - part.file.start;
        let there = self
            .at(part.address)
            .is_some_and(|place| place.start == part.file.start && length <= place.end - place.start);
        length <= self.thread_storage
            && self.thread_storage <= LARGEST_STORAGE
            && (self.thread_storage == 0 || part.align.is_power_of_two() && part.align <= LARGEST_ALIGNMENT)
            && (length == 0 || there)
    }

    /// What each thread's own storage is aligned to, in bytes.
    pub(super) fn thread_alignment(&self) -> u64 {
        self.thread_start.as_ref().map_or(1, |part| part.align)
    }

    /// Whether it has storage of threads at all.
    pub(super) fn has_thread_storage(&self) -> bool {
        self.thread_start.is_some() && self.thread_storage != 0
    }

    /// Whether what is made read-only lies within one segment that can be written to until then, up to the end of its last
    /// page: linkers round the end up.
    pub(super) fn protects_data(&self) -> bool {
        let holds = |load: &Load, part: &Range<u64>| {
            let end = load.address.saturating_add(load.memory);
            let end = end.checked_next_multiple_of(load.align.max(PAGE)).unwrap_or(end);
            // Data that begins as zeros is written later; but lld fills the last page of a segment that is protected as a whole.
            let zeros = load.address.saturating_add(load.file.end - load.file.start);
            let covers_zeros = load.memory > load.file.end - load.file.start
                && part.end / PAGE * PAGE > zeros
                && part.end != load.address.saturating_add(load.memory);
            load.writable && load.address <= part.start && part.end <= end && !covers_zeros
        };
        let mut protected = self.protected.iter().filter(|part| !part.is_empty());
        protected.all(|part| self.loads.iter().any(|load| holds(load, part)))
    }

    /// Whether every segment of the file can be read or run.
    pub(super) fn shows_all(&self) -> bool {
        self.loads.iter().all(|load| load.readable || load.executable || load.file.is_empty())
    }

    /// Whether an address is a part of the dynamic segment, from which the loader goes on reading.
    pub(super) fn is_dynamic(&self, address: u64) -> bool {
        let length = |part: &Part| part.file.end - part.file.start;
        self.dynamic
            .as_ref()
            .is_some_and(|part| address.checked_sub(part.address).is_some_and(|within| within < length(part)))
    }

    /// The loader takes the first for the lowest address and the last for the highest.
    pub(super) fn in_order(&self) -> bool {
        self.loads.is_sorted_by_key(|load| load.address)
    }

    /// Whether two segments claim the same memory: which of them counts is up to the loader.
    pub(super) fn overlap(&self) -> bool {
        let end = |load: &Load| load.address.saturating_add(load.memory.max(load.file.end - load.file.start));
        let mut loads: Vec<&Load> = self.loads.iter().filter(|load| !load.file.is_empty()).collect();
        loads.sort_by_key(|load| load.address);
        loads.windows(2).any(|pair| end(pair[0]) > pair[1].address)
    }

    /// Where loading may write: into writable segments, or, with relocations of code, into all.
    pub(super) fn targets(&self, anywhere: bool) -> Vec<Range<u64>> {
        let loads = self.loads.iter().filter(|load| anywhere || load.writable);
        loads.map(|load| load.address..load.address.saturating_add(load.memory)).collect()
    }

    /// Segments that are loaded writable.
    pub(crate) fn writable(&self) -> impl Iterator<Item = &Load> {
        self.loads.iter().filter(|load| load.writable)
    }
}
