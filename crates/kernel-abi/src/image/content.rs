//! What read-only data gives away: paths of the machine that built the library, and a copy of libstdc++ that no symbol
//! shows any more. One automaton, on all cores; GPU code is jumped over.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::ImageError;
use super::facts::{Mark, MarkKind};
use super::source::{Reader, index};

/// Texts that stand in libstdc++'s own exception, guard and stream objects and nowhere else: names of types whose
/// description lives in the library, and what it prints when it ends the process. As whole texts, they do not occur in
/// a library that uses the shared libstdc++, which carries longer, mangled names at most.
const LIBSTDCXX: &[&str] = &[
    "N10__cxxabiv117__class_type_infoE",
    "N10__cxxabiv120__si_class_type_infoE",
    "N10__cxxabiv115__forced_unwindE",
    "N9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE",
    "terminate called recursively\n",
    "NSt6locale5facetE",
    "St9bad_alloc",
];

/// Where sources lie on machines that build. A path counts when it names a source or header.
const ROOTS: &[&str] = &[
    "/build/",
    "/builds/",
    "/github/",
    "/home/",
    "/opt/",
    "/root/",
    "/tmp/",
    "/usr/",
    "/Users/",
    "/var/",
    "/workspace/",
];
const SOURCES: &[&str] = &[
    ".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hip", ".hpp", ".inc", ".inl", ".m", ".metal",
    ".mm", ".py", ".tcc",
];
const STORE: &str = "/nix/store/";

/// The longest text that is looked at.
const LONGEST: u64 = 1024;
/// The smallest share of a range that is worth a thread.
const SHARE: u64 = 8 << 20;
/// The most texts of one kind that are kept: more do not help anybody.
const MOST: usize = 8;

static PATTERNS: LazyLock<(AhoCorasick, Vec<MarkKind>)> = LazyLock::new(|| {
    let kinds = LIBSTDCXX.iter().map(|_| MarkKind::StaticLibstdcxx);
    let kinds = kinds.chain(ROOTS.iter().map(|_| MarkKind::BuildPath)).chain([MarkKind::NixStore]);
    let texts = LIBSTDCXX.iter().chain(ROOTS).chain([&STORE]);
    let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(texts);
    (automaton.expect("a few short literals always make an automaton"), kinds.collect())
});

/// Adds the marks of a range of the file, without the `payload` in it.
pub(super) fn scan(
    reader: &Reader<'_>,
    range: Range<u64>,
    payload: &[Range<u64>],
    marks: &mut Vec<Mark>,
) -> Result<(), ImageError> {
    let mut at = range.start;
    for skipped in payload.iter().filter(|skipped| skipped.start < range.end && skipped.end > range.start) {
        if skipped.start > at {
            scan_all(reader, at..skipped.start, marks)?;
        }
        at = at.max(skipped.end);
    }
    if at < range.end { scan_all(reader, at..range.end, marks) } else { Ok(()) }
}

/// Large ranges are shared out among the cores. The marks are those that one pass from begin to end would find.
fn scan_all(reader: &Reader<'_>, range: Range<u64>, marks: &mut Vec<Mark>) -> Result<(), ImageError> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let share = (range.end - range.start).div_ceil(cores).max(SHARE);
    let shares =
        (range.start..range.end).step_by(index(share)).map(|start| start..(start + share).min(range.end));
    if range.end - range.start <= share {
        return scan_share(reader, range.clone(), range, marks);
    }
    let found: Result<Vec<Vec<Mark>>, ImageError> = std::thread::scope(|scope| {
        let start = |own: Range<u64>| {
            let (reader, range) = (reader.for_thread(), range.clone());
            scope.spawn(move || {
                let mut marks = Vec::new();
                scan_share(&reader, own, range, &mut marks).map(|()| marks)
            })
        };
        let running: Vec<_> = shares.map(start).collect();
        let ended = running.into_iter().map(std::thread::ScopedJoinHandle::join);
        ended.map(|marks| marks.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    found?.into_iter().flatten().for_each(|mark| add(marks, mark));
    Ok(())
}

/// Scans for texts that begin in `own`, a part of `range`.
fn scan_share(
    reader: &Reader<'_>,
    own: Range<u64>,
    range: Range<u64>,
    marks: &mut Vec<Mark>,
) -> Result<(), ImageError> {
    let (automaton, kinds) = &*PATTERNS;
    let what = "a loaded segment";
    let mut before = if own.start > range.start { reader.array::<1>(what, own.start - 1)?[0] } else { 0 };
    let seen = own.start..own.end.saturating_add(LONGEST).min(range.end);
    reader.walk(what, seen, (1, LONGEST), |piece, at, length| {
        let length = length.min(index(own.end.saturating_sub(at)));
        for found in automaton.find_iter(piece).take_while(|found| found.start() < length) {
            let previous = found.start().checked_sub(1).map_or(before, |at| piece[at]);
            let rest = &piece[found.start()..];
            let rest = &rest[..rest.len().min(index(LONGEST))];
            let Some(end) = memchr::memchr(0, rest) else { continue };
            let whole = &rest[..end];
            let kind = kinds[found.pattern().as_usize()];
            if let Some(text) = text(kind, previous, whole, found.len()) {
                add(marks, Mark { kind, text });
            }
        }
        let Some(last) = length.checked_sub(1) else { return Ok(false) };
        before = piece[last];
        Ok(true)
    })
}

/// The text to show for a match, where it is one.
fn text(kind: MarkKind, previous: u8, whole: &[u8], matched: usize) -> Option<String> {
    if kind == MarkKind::StaticLibstdcxx {
        return (previous == 0 && whole.len() == matched)
            .then(|| String::from_utf8_lossy(whole).trim_end().to_owned());
    }
    // A path may stand inside a longer text, but then after something that cannot be part of a path.
    let in_path =
        previous.is_ascii_alphanumeric() || matches!(previous, b'.' | b'_' | b'-' | b'/' | b'+' | b'}');
    let end = whole
        .iter()
        .position(|&byte| !byte.is_ascii_graphic() || matches!(byte, b'"' | b'\'' | b':' | b';' | b','));
    let path = &whole[..end.unwrap_or(whole.len())];
    let path = std::str::from_utf8(path).ok()?;
    let shown = match kind {
        MarkKind::NixStore => path.len() > STORE.len(),
        _ => !in_path && SOURCES.iter().any(|suffix| path.ends_with(suffix)),
    };
    shown.then(|| path.to_owned())
}

fn add(marks: &mut Vec<Mark>, mark: Mark) {
    let same_kind = marks.iter().filter(|known| known.kind == mark.kind).count();
    if same_kind < MOST && !marks.contains(&mark) {
        marks.push(mark);
    }
}

/// Puts the marks in order, so that the order of segments does not show.
pub(super) fn finish(marks: &mut [Mark]) {
    marks.sort();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts at the ends of shares and pieces, and one that lies across.
    #[test]
    fn shares_find_what_one_pass_finds() {
        let size = index(3 * SHARE) + 12345;
        let mut bytes = vec![1; size];
        let texts = (0..40).map(|number| format!("\0/home/me/file{number}.cu\0").into_bytes());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let share = size.div_ceil(cores).max(index(SHARE));
        let places = [0, 1, share - 30, share - 12, share, 2 * share - 1, size - 40]
            .map(|place| place.min(size - 100));
        for (place, text) in places.into_iter().zip(texts) {
            bytes[place..place + text.len()].copy_from_slice(&text);
        }
        let source = bytes.as_slice();
        let reader = Reader::new(&source);
        let range = 0..size as u64;
        let (mut shared, mut single) = (Vec::new(), Vec::new());
        scan_all(&reader, range.clone(), &mut shared).expect("read");
        scan_share(&reader, range.clone(), range, &mut single).expect("read");
        assert_eq!(shared, single);
        assert!(shared.len() >= 4, "{shared:?}");
    }
}
