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

/// Bytes before the table, and of each of its entries.
const HEADER: u64 = 12;
const ENTRY: u64 = 8;

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

/// Whether one of the addresses at which something is to run lies inside of a function, and not at its beginning. Where nothing
/// says how far functions reach, none does.
pub(super) fn enters_inside(
    reader: &Reader<'_>,
    segments: &Segments,
    mut entered: Vec<u64>,
) -> Result<bool, ImageError> {
    if entered.is_empty() || !is_usable(reader, segments)? {
        return Ok(false);
    }
    let (Some(address), what) = (segments.unwinding, "the table for exceptions") else { return Ok(false) };
    let Some(place) = segments.at(address) else { return Ok(false) };
    let [_, _, count, table, ..]: [u8; 12] = reader.array(what, place.start)?;
    if (count, table) != (FOUR_BYTES, FROM_TABLE) {
        return Ok(false);
    }
    let count = u64::from(u32::from_le_bytes(reader.array(what, place.start + 8)?));
    entered.sort_unstable();
    entered.dedup();
    let mut entered = entered.into_iter().peekable();
    // Each with the last function that begins at or before it.
    let (mut around, mut last) = (Vec::new(), None);
    reader.walk(
        what,
        place.start + HEADER..place.start + HEADER + count * ENTRY,
        (ENTRY, 0),
        |piece, _, _| {
            for entry in piece.as_chunks::<8>().0 {
                let Some((function, frame)) = places(*entry, address) else { return Ok(false) };
                while let Some(before) = entered.next_if(|entered| *entered < function) {
                    around.extend(last.map(|(function, frame)| (before, function, frame)));
                }
                last = Some((function, frame));
            }
            Ok(entered.peek().is_some())
        },
    )?;
    around.extend(entered.filter_map(|entered| last.map(|(function, frame)| (entered, function, frame))));
    for (entered, function, frame) in around.into_iter().filter(|(entered, function, _)| entered != function)
    {
        if length(reader, segments, function, frame)?.is_some_and(|length| entered - function < length) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The bytes of a function, by its entry in the list of frames; nothing where that has another form than that of all compilers.
fn length(
    reader: &Reader<'_>,
    segments: &Segments,
    function: u64,
    frame: u64,
) -> Result<Option<u64>, ImageError> {
    let Some(place) = segments.at(frame).filter(|place| place.end - place.start >= 16) else {
        return Ok(None);
    };
    let bytes: [u8; 16] = reader.array("the list of frames", place.start)?;
    let [own, _, begin, length] =
        [0, 4, 8, 12].map(|at| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let begins = (frame + 8).checked_add_signed(i32::from_le_bytes(begin).into());
    // A distance of eight bytes, as code of the large model has it, goes on with ones where it leads back.
    let (own, length) = (u32::from_le_bytes(own), u32::from_le_bytes(length));
    let is_plain = own < u32::MAX && begins == Some(function) && length < u32::MAX;
    Ok(is_plain.then_some(length.into()))
}

/// Where a function and its entry in the list of frames are, by an entry of the table at `address`.
fn places(entry: [u8; 8], address: u64) -> Option<(u64, u64)> {
    let both = u64::from_le_bytes(entry).cast_signed();
    let leads = |distance: i64| address.checked_add_signed(distance);
    // The lower half and the upper, each with its sign.
    Some((leads(both << 32 >> 32)?, leads(both >> 32)?))
}

/// Whether the table is there as a whole, in the order of its functions, and those are code: the unwinder searches it by halves.
fn leads_to_code(
    reader: &Reader<'_>,
    segments: &Segments,
    (address, place): (u64, Range<u64>),
) -> Result<bool, ImageError> {
    let what = "the table for exceptions";
    let count = u64::from(u32::from_le_bytes(reader.array(what, place.start + 8)?));
    let end = place.start.saturating_add(HEADER + count * ENTRY);
    if end > place.end {
        return Ok(false);
    }
    let (mut last, mut is_sound) = (0, true);
    reader.walk(what, place.start + HEADER..end, (ENTRY, 0), |piece, _, _| {
        for entry in piece.as_chunks::<8>().0 {
            let Some((function, frame)) = places(*entry, address) else { return Ok(false) };
            let is_code = segments.holds_code(function) || segments.ends_code(function);
            is_sound &= function >= last && is_code && segments.at(frame).is_some();
            last = function;
        }
        Ok(is_sound)
    })?;
    Ok(is_sound)
}
