//! Writes stub libraries: shared objects that have a name, symbols and versions for the linker, and nothing to run.
//! Written directly instead of by an assembler, so that the bytes depend on the table alone.

use std::collections::BTreeMap;

use kernel_spec::arch::Cpu;
use object::write::elf::{FileHeader, SectionHeader, SinglePhaseWriter, Sym, Verdef, Writer};
use object::write::{Error, StringId};
use object::{Endianness, elf};

use super::table::{Kind, Symbol, numbers};

/// Raised when the same table gives other bytes, so that no cache serves the old ones.
pub const FORMAT: u32 = 1;

/// Where the first section lies; any address would do.
const BASE: u64 = 0x1000;
/// Symbols differ in address, because linkers take weak symbols at one address for aliases.
const ALIGNMENT: u64 = 16;
/// The number of a version that stands for the library itself.
const OWN_VERSION: u16 = 1;

/// The bytes of a stub library. Without symbols it is a bare name, enough to make a library needed.
pub fn library(cpu: Cpu, soname: &str, symbols: &[Symbol]) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut header = Vec::new();
    let mut writer = Writer::new_single_phase(Endianness::Little, true, &mut bytes);
    writer.write_file_header(&FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_DYN,
        e_machine: match cpu {
            Cpu::X86_64 => elf::EM_X86_64,
            Cpu::Aarch64 => elf::EM_AARCH64,
        },
        e_entry: 0,
        e_flags: elf::FileFlags(0),
    })?;
    let soname_id = writer.add_dynamic_string(soname.as_bytes());
    let sections = Sections::of(symbols);
    write_symbols(&mut writer, symbols, &sections);
    if !symbols.is_empty() {
        write_versions(&mut writer, soname, soname_id, symbols);
    }
    writer.write_align_dynamic();
    writer.write_dynamic_string(elf::DT_SONAME, soname_id)?;
    writer.write_dynamic(elf::DT_NULL, 0)?;
    writer.write_dynstr()?;
    write_section_headers(&mut writer, &sections)?;
    writer.write_file_header_to(&mut header)?;
    bytes[..header.len()].copy_from_slice(&header);
    Ok(bytes)
}

/// The sections that symbols lie in. They hold no bytes.
struct Sections([Section; 3]);

struct Section {
    name: &'static [u8],
    flags: elf::SectionFlags,
    address: u64,
    size: u64,
}

impl Sections {
    /// The section number of each kind is its place here plus one.
    fn index(kind: Kind) -> usize {
        match kind {
            Kind::Function => 0,
            Kind::Object | Kind::Untyped => 1,
            Kind::ThreadLocal => 2,
        }
    }

    fn of(symbols: &[Symbol]) -> Self {
        let writable = elf::SHF_ALLOC | elf::SHF_WRITE;
        let section = |name, flags| Section { name, flags, address: 0, size: 0 };
        let mut sections = [
            section(&b".text"[..], elf::SHF_ALLOC | elf::SHF_EXECINSTR),
            section(b".bss", writable),
            section(b".tbss", writable | elf::SHF_TLS),
        ];
        for symbol in symbols {
            sections[Self::index(symbol.kind)].size += room(symbol);
        }
        let mut address = BASE;
        for section in &mut sections {
            section.address = address;
            address = (address + section.size).next_multiple_of(BASE);
        }
        Self(sections)
    }
}

/// The bytes of address space that a symbol takes.
fn room(symbol: &Symbol) -> u64 {
    symbol.size.max(1).next_multiple_of(ALIGNMENT)
}

fn write_symbols(writer: &mut SinglePhaseWriter<'_>, symbols: &[Symbol], sections: &Sections) {
    writer.write_null_dynamic_symbol();
    let mut used = [0; 3];
    for symbol in symbols {
        let section = Sections::index(symbol.kind);
        let name = writer.add_dynamic_string(symbol.name.as_bytes());
        let name = writer.dynamic_string_offset(Some(name));
        let binding = if symbol.weak { elf::STB_WEAK } else { elf::STB_GLOBAL };
        // A thread-local symbol's value counts from the start of its section.
        let (base, kind) = match symbol.kind {
            Kind::Function => (sections.0[section].address, elf::STT_FUNC),
            Kind::Object => (sections.0[section].address, elf::STT_OBJECT),
            Kind::Untyped => (sections.0[section].address, elf::STT_NOTYPE),
            Kind::ThreadLocal => (0, elf::STT_TLS),
        };
        writer.write_dynamic_symbol(&Sym {
            section: u32::try_from(section + 1).ok(),
            st_name: name,
            st_info: elf::SymbolInfo::new(binding, kind),
            st_other: elf::SymbolOther::default(),
            st_shndx: elf::SymbolSection::default(),
            st_value: base + used[section],
            st_size: symbol.size.max(1),
        });
        used[section] += room(symbol);
    }
}

fn write_versions(writer: &mut SinglePhaseWriter<'_>, soname: &str, soname_id: StringId, symbols: &[Symbol]) {
    // Ordered by family and number, as in the real libraries.
    let mut versions = BTreeMap::new();
    for symbol in symbols {
        let family = symbol.version.split('_').next();
        versions.insert((family, numbers(symbol.version), symbol.version), OWN_VERSION);
    }
    for (number, entry) in (OWN_VERSION + 1..).zip(versions.values_mut()) {
        *entry = number;
    }
    let number_of: BTreeMap<&str, u16> =
        versions.iter().map(|((.., name), number)| (*name, *number)).collect();

    writer.write_null_gnu_versym();
    for symbol in symbols {
        writer.write_gnu_versym(elf::VersionIndex(number_of[symbol.version]).versym(false));
    }
    let names: Vec<(&'static str, u16)> =
        versions.iter().map(|((.., name), number)| (*name, *number)).collect();
    let mut definitions = vec![(soname, soname_id, OWN_VERSION)];
    for (name, number) in names {
        definitions.push((name, writer.add_dynamic_string(name.as_bytes()), number));
    }
    writer.write_align_gnu_verdef(u16::try_from(definitions.len()).expect("a library has few versions"));
    for (name, id, number) in definitions {
        let own = number == OWN_VERSION;
        writer.write_gnu_verdef(&Verdef {
            version: elf::VER_DEF_CURRENT,
            flags: if own { elf::VER_FLG_BASE } else { elf::VersionFlags(0) },
            index: elf::VersionIndex(number),
            aux_count: 1,
            name: writer.dynamic_string_offset(Some(id)),
            hash: elf::hash(name.as_bytes()),
        });
    }
}

fn write_section_headers(writer: &mut SinglePhaseWriter<'_>, sections: &Sections) -> Result<(), Error> {
    let names: Vec<StringId> =
        sections.0.iter().map(|section| writer.add_section_name(section.name)).collect();
    let end = writer.offset();
    writer.write_shstrtab()?;
    writer.write_null_section_header();
    for (section, name) in sections.0.iter().zip(names) {
        writer.write_section_header(&SectionHeader {
            sh_name: writer.section_name_offset(Some(name)),
            sh_type: elf::SHT_NOBITS,
            sh_flags: section.flags,
            sh_addr: section.address,
            sh_offset: end,
            sh_size: section.size,
            sh_link: 0,
            sh_info: 0,
            sh_addralign: ALIGNMENT,
            sh_entsize: 0,
        });
    }
    // Strings first: the other headers name their section.
    writer.write_dynstr_section_header(0);
    writer.write_dynsym_section_header(0, 1);
    writer.write_gnu_versym_section_header(0);
    writer.write_gnu_verdef_section_header(0);
    writer.write_dynamic_section_header(0);
    writer.write_shstrtab_section_header();
    Ok(())
}
