//! What the relocations of a processor mean to glibc's loader (`elf_machine_rela` in `sysdeps/*/dl-machine.h`).

use object::elf as raw;

use super::super::facts::Machine;

/// What applying a relocation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Adds the library's own address.
    Relative,
    /// Calls a function of the library that says what to write.
    Indirect,
    /// Writes the address of a function where calls go by.
    Slot,
    /// Writes the address of a symbol where code looks for it.
    Entry,
    /// Writes the address of a symbol into data.
    Address,
    /// Writes the size of a symbol.
    Size,
    /// Says in which library's storage a variable of threads is.
    Module,
    /// Where in that storage.
    Offset,
    /// How far it is from the thread's own address: counts on storage that is set aside when the process starts.
    Distance,
    /// All of this, as a function and its argument.
    Descriptor,
}

impl Act {
    /// Bytes that it writes on processors of 64 bits.
    pub(super) fn width(self) -> u64 {
        if self == Self::Descriptor { 16 } else { 8 }
    }
}

/// The relocations of a processor.
pub(super) struct Processor {
    /// The number of the one that adds the library's own address.
    pub(super) relative: u32,
    /// All that a library may have; nothing where that is not known.
    pub(super) acts: &'static [(u32, Act)],
    /// Bytes that each writes at least.
    pub(super) pointer: u64,
}

const X86_64: Processor = Processor {
    relative: raw::R_X86_64_RELATIVE.0,
    acts: &[
        (raw::R_X86_64_RELATIVE.0, Act::Relative),
        (raw::R_X86_64_GLOB_DAT.0, Act::Entry),
        (raw::R_X86_64_JUMP_SLOT.0, Act::Slot),
        (raw::R_X86_64_64.0, Act::Address),
        (raw::R_X86_64_DTPMOD64.0, Act::Module),
        (raw::R_X86_64_DTPOFF64.0, Act::Offset),
        (raw::R_X86_64_TPOFF64.0, Act::Distance),
        (raw::R_X86_64_SIZE64.0, Act::Size),
        (raw::R_X86_64_TLSDESC.0, Act::Descriptor),
        (raw::R_X86_64_IRELATIVE.0, Act::Indirect),
    ],
    pointer: 8,
};
const AARCH64: Processor = Processor {
    relative: raw::R_AARCH64_RELATIVE.0,
    acts: &[
        (raw::R_AARCH64_RELATIVE.0, Act::Relative),
        (raw::R_AARCH64_GLOB_DAT.0, Act::Entry),
        (raw::R_AARCH64_JUMP_SLOT.0, Act::Slot),
        (raw::R_AARCH64_ABS64.0, Act::Address),
        (raw::R_AARCH64_TLS_DTPMOD.0, Act::Module),
        (raw::R_AARCH64_TLS_DTPREL.0, Act::Offset),
        (raw::R_AARCH64_TLS_TPREL.0, Act::Distance),
        (raw::R_AARCH64_TLSDESC.0, Act::Descriptor),
        (raw::R_AARCH64_IRELATIVE.0, Act::Indirect),
    ],
    pointer: 8,
};
const I686: Processor = Processor { relative: raw::R_386_RELATIVE.0, acts: &[], pointer: 1 };

impl Processor {
    /// Nothing where its relocations are not known.
    pub(super) fn of(machine: Machine) -> Option<&'static Self> {
        match machine {
            Machine::Aarch64 => Some(&AARCH64),
            Machine::I686 => Some(&I686),
            Machine::X86_64 => Some(&X86_64),
            _ => None,
        }
    }

    pub(super) fn act(&self, kind: u32) -> Option<Act> {
        self.acts.iter().find(|(own, _)| *own == kind).map(|(_, act)| *act)
    }
}
