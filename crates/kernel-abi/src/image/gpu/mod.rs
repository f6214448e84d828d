//! Embedded GPU code. It is found as the GPU run times find it: small records in writable data point at it. Of the
//! code itself only headers are read, so that its size costs nothing.

mod bundle;
mod fatbin;
mod sycl;

use std::ops::Range;

use object::Endian;

use super::ImageError;
use super::elf::{Relocations, Segments};
use super::facts::GpuCode;
use super::source::Reader;

pub use bundle::COMPRESSED;

/// First word of the record that CUDA's run time is given, and of the one that HIP's is.
const CUDA_RECORD: u32 = 0x4662_43b1;
const HIP_RECORD: u32 = 0x4849_5046;

/// A record found in writable data.
enum Record {
    /// Address of the pointer to a CUDA fat binary.
    Cuda(u64),
    /// Address of the pointer to a HIP bundle.
    Hip(u64),
    /// Address of what may describe a SYCL image, and the version of its layout.
    Sycl(u64, u16),
}

/// The GPU code of a library, and the ranges of the file that hold it.
pub(super) fn find(
    reader: &Reader<'_>,
    segments: &Segments,
    relocations: &Relocations,
) -> Result<(Vec<GpuCode>, Vec<Range<u64>>), ImageError> {
    let mut found = Vec::new();
    if relocations.pointer != 8 {
        return Ok((found, Vec::new()));
    }
    let records = records(reader, segments, relocations)?;
    let pointers: Vec<u64> = records.iter().flat_map(Record::pointers).collect();
    let pointers = relocations.resolve(reader, segments, &pointers)?;
    let place = |address: &u64| pointers.get(address).and_then(|target| segments.at(*target));
    let mut payload: Vec<Range<u64>> = Vec::new();
    let mut left = bundle::UNPACKED;
    for record in &records {
        let range = match record {
            Record::Cuda(pointer) => fatbin::read(reader, place(pointer), &mut found)?,
            Record::Hip(pointer) => bundle::read(reader, place(pointer), &mut left, &mut found)?,
            Record::Sycl(at, version) => sycl::read(reader, (*at, *version), &place, &mut found)?,
        };
        payload.extend(range);
    }
    payload.sort_by_key(|range| (range.start, range.end));
    payload.dedup();
    found.sort();
    Ok((found, payload))
}

impl Record {
    /// Addresses of the pointers that it is followed by.
    fn pointers(&self) -> Vec<u64> {
        match self {
            Self::Cuda(pointer) | Self::Hip(pointer) => vec![*pointer],
            Self::Sycl(at, _) => sycl::POINTERS.iter().map(|offset| at + offset).collect(),
        }
    }
}

fn records(
    reader: &Reader<'_>,
    segments: &Segments,
    relocations: &Relocations,
) -> Result<Vec<Record>, ImageError> {
    let endian = relocations.endian;
    let mut records = Vec::new();
    for load in segments.writable() {
        // Records are aligned to pointers in memory, and pages keep that alignment in the file.
        let start = load.file.start.next_multiple_of(8).min(load.file.end);
        reader.walk("writable data", start..load.file.end, (8, 0), |piece, at, _| {
            for (index, words) in piece.chunks_exact(8).enumerate() {
                let word =
                    |at: usize| endian.read_u32([words[at], words[at + 1], words[at + 2], words[at + 3]]);
                let address = load.address.wrapping_add(at - load.file.start).wrapping_add(index as u64 * 8);
                let record = match (word(0), word(4)) {
                    (CUDA_RECORD, 1 | 2) => Record::Cuda(address.wrapping_add(8)),
                    (HIP_RECORD, 1) => Record::Hip(address.wrapping_add(8)),
                    (sycl, 0) if sycl::is_record(sycl) => Record::Sycl(address, (sycl & 0xffff) as u16),
                    _ => continue,
                };
                reader.spend(size_of::<Record>() as u64)?;
                records.push(record);
            }
            Ok(true)
        })?;
    }
    Ok(records)
}
