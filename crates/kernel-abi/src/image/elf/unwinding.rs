//! The table by which exceptions leave functions: the header that libgcc's unwinder finds, as it reads it
//! (`_Unwind_Find_FDE` in `unwind-dw2-fde-dip.c`; Linux Standard Base, "The .eh_frame_hdr section").

use super::super::ImageError;
use super::super::source::Reader;
use super::Segments;

/// How a value is written: not at all, or as four signed bytes counted from where it stands or from the table.
const OMITTED: u8 = 0xff;
const FROM_HERE: u8 = 0x1b;
const FROM_TABLE: u8 = 0x3b;
const FOUR_BYTES: u8 = 0x03;

/// Whether the unwinder finds anything by it. Where it is written as no linker does, it is taken for usable.
pub(super) fn is_usable(reader: &Reader<'_>, segments: &Segments) -> Result<bool, ImageError> {
    let Some(address) = segments.unwinding else { return Ok(false) };
    let Some(place) = segments.at(address).filter(|place| place.end - place.start >= 12) else {
        return Ok(false);
    };
    let [version, pointer, count, table, header @ ..]: [u8; 12] =
        reader.array("the table for exceptions", place.start)?;
    if version != 1 || pointer == OMITTED {
        return Ok(false);
    }
    if pointer != FROM_HERE {
        return Ok(true);
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
    Ok(count != FOUR_BYTES || table != FROM_TABLE || functions != [0; 4])
}
