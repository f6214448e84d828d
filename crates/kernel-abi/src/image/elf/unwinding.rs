//! The table by which exceptions leave functions: the header that libgcc's unwinder finds, as it reads it
//! (`_Unwind_Find_FDE` in `unwind-dw2-fde-dip.c`; Linux Standard Base, "The .eh_frame_hdr section").

use std::ops::Range;

use super::super::ImageError;
use super::super::source::Reader;
use super::Segments;

/// How a value is written: not at all, or as four signed bytes counted from where it stands or from the table.
const OMITTED: u8 = 0xff;
const FROM_HERE: u8 = 0x1b;
const FROM_TABLE: u8 = 0x3b;
const FOUR_BYTES: u8 = 0x03;

/// Whether the unwinder finds anything by it.
pub(super) fn is_usable(reader: &Reader<'_>, segments: &Segments) -> Result<bool, ImageError> {
    let Some(address) = segments.unwinding else { return Ok(false) };
    let Some(place) = segments.at(address).filter(|place| place.end - place.start >= 12) else {
        return Ok(false);
    };
    let [version, pointer, count, table, header @ ..]: [u8; 12] =
        reader.array("the table for exceptions", place.start)?;
    // All linkers write these forms, and a search without a table where they could not make one.
    let is_sorted = (count, table) == (FOUR_BYTES, FROM_TABLE);
    if version != 1 || pointer != FROM_HERE || !is_sorted && (count, table) != (OMITTED, OMITTED) {
        return Ok(false);
    }
    if is_sorted && !leads_to_code(reader, segments, (address, place.clone()))? {
        return Ok(false);
    }
    let [a, b, c, d, functions @ ..] = header;
    let frames = i64::from(i32::from_le_bytes([a, b, c, d]));
    let Some(frames) = address.checked_add(4).and_then(|here| here.checked_add_signed(frames)) else {
        return Ok(false);
    };
    let Some(frames) = segments.at(frames).filter(|place| place.end - place.start >= 4) else {
        return Ok(false);
    };
    // The first length is that of an entry, and zero ends the list.
    if reader.array("the table for exceptions", frames.start)? == [0; 4] {
        return Ok(false);
    }
    Ok(!is_sorted || functions != [0; 4])
}

/// Whether the table is there as a whole, in the order of its functions, and those are code: the unwinder searches it by halves.
fn leads_to_code(
    reader: &Reader<'_>,
    segments: &Segments,
    (address, place): (u64, Range<u64>),
) -> Result<bool, ImageError> {
    const HEADER: u64 = 12;
    const ENTRY: u64 = 8;
    let what = "the table for exceptions";
    let count = u64::from(u32::from_le_bytes(reader.array(what, place.start + 8)?));
    let end = place.start.saturating_add(HEADER + count * ENTRY);
    if end > place.end {
        return Ok(false);
    }
    let (mut last, mut is_sound) = (None, true);
    let leads = |distance: i32| address.checked_add_signed(distance.into());
    reader.walk(what, place.start + HEADER..end, (ENTRY, 0), |piece, _, _| {
        let (entries, _) = piece.as_chunks::<8>();
        for entry in entries {
            let word =
                |at: usize| i32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]);
            let (function, frame) = (leads(word(0)), leads(word(4)));
            is_sound &= function >= last
                && function.is_some_and(|function| segments.holds_code(function))
                && frame.is_some_and(|frame| segments.at(frame).is_some());
            last = function;
        }
        Ok(is_sound)
    })?;
    Ok(is_sound)
}
