//! What the bytes give away that are loaded: paths of the machine that built the library, and a copy of the C++ run time
//! that no symbol shows any more. One automaton for texts and, in code, one search for what throws, on all cores; GPU code
//! is jumped over.

use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::packed::{self, Searcher};
use aho_corasick::{AhoCorasick, Input, Match, MatchKind, Span};
use memchr::memmem::Finder;

use super::ImageError;
use super::facts::{Mark, MarkKind};
use super::source::{Reader, WORTH, index};

/// How exceptions say which language threw them (Itanium C++ ABI, section 2.2.1), as code of x86 that stores it holds it:
/// libstdc++ itself does, and what compares with it. What libstdc++ compares, as for `std::exception_ptr`, adds its negative.
const EXCEPTION_CLASS: &[u8; 8] = b"\0++CCUNG";

/// The code of libstdc++ that ends a process prints these, and all three are in one function.
pub(crate) const LAST_WORDS: [&str; 3] = [
    "terminate called after throwing an instance of '",
    "terminate called recursively\n",
    "terminate called without an active exception\n",
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
/// The most texts of one kind that are kept: more do not help anybody.
const MOST: usize = 8;

/// The texts that are looked for.
struct Texts {
    /// What each of them is.
    kinds: Vec<MarkKind>,
    /// Compares many places at once, where the processor can.
    fast: Option<Searcher>,
    automaton: AhoCorasick,
}

static TEXTS: LazyLock<Texts> = LazyLock::new(|| {
    let of = |kind: MarkKind, texts: &[&'static str]| texts.iter().map(move |text| (kind, *text)).collect();
    let texts: [Vec<(MarkKind, &str)>; 3] = [
        of(MarkKind::LastWords, &LAST_WORDS),
        of(MarkKind::BuildPath, ROOTS),
        of(MarkKind::NixStore, &[STORE]),
    ];
    let (kinds, texts): (Vec<_>, Vec<_>) = texts.into_iter().flatten().unzip();
    let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&texts);
    Texts {
        kinds,
        // Left to itself the automaton would stop at each first byte of a text.
        fast: packed::Config::new().builder().extend(&texts).build(),
        automaton: automaton.expect("a few short literals always make an automaton"),
    }
});

impl Texts {
    /// The first of them from a place on.
    fn find(&self, bytes: &[u8], from: usize) -> Option<Match> {
        let span = Span { start: from, end: bytes.len() };
        match &self.fast {
            Some(fast) => fast.find_in(bytes, span),
            None => self.automaton.find(Input::new(bytes).span(span)),
        }
    }

    /// All of them that begin before `end`, one after another.
    fn all<'b>(&'b self, bytes: &'b [u8], end: usize) -> impl Iterator<Item = Match> + 'b {
        let after = move |found: &Match| self.find(bytes, found.end());
        std::iter::successors(self.find(bytes, 0), after).take_while(move |found| found.start() < end)
    }
}

/// Not in the automaton, whose first step would have to stop at many more bytes with it.
static THROWN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(EXCEPTION_CLASS));

/// Numbers of shares, and the marks in each.
type Found = Vec<(usize, Vec<Mark>)>;

/// A part of a loaded segment that one core looks at.
struct Share {
    /// Where the texts begin that it looks for.
    own: Range<u64>,
    /// The bytes between two pieces of payload in which they may go on.
    within: Range<u64>,
    executable: bool,
}

/// The marks in loaded segments, each with whether it is code, without the `payload` in them. Sorted, so that the order
/// of segments does not show.
pub(super) fn scan(
    reader: &Reader<'_>,
    segments: &[(Range<u64>, bool)],
    payload: &[Range<u64>],
) -> Result<Vec<Mark>, ImageError> {
    // Segments may share pages of the file, not be the file many times.
    let loaded = segments.iter().map(|(range, _)| range.end - range.start).fold(0, u64::saturating_add);
    if loaded > reader.size().saturating_mul(2) {
        return Err(ImageError::Malformed { what: "its segments are together larger than the file" });
    }
    let shares: Vec<Share> = segments.iter().flat_map(|segment| shares(segment, payload)).collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(shares.len());
    let next = AtomicUsize::new(0);
    let work = |reader: &Reader<'_>| {
        let mut found = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(share) = shares.get(at) else { return Ok(found) };
            found.push((at, scan_share(reader, share)?));
        }
    };
    let found: Result<Vec<Found>, ImageError> = if cores < 2 {
        work(reader).map(|marks| vec![marks])
    } else {
        std::thread::scope(|scope| {
            let start = |_| {
                let reader = reader.for_thread();
                scope.spawn(move || work(&reader))
            };
            let running: Vec<_> = (0..cores).map(start).collect();
            let ended = running.into_iter().map(std::thread::ScopedJoinHandle::join);
            ended.map(|marks| marks.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        })
    };
    // In the order of the file, so that always the same ones are kept.
    let mut found: Found = found?.into_iter().flatten().collect();
    found.sort_by_key(|(at, _)| *at);
    let mut marks = Vec::new();
    found.into_iter().flat_map(|(_, marks)| marks).for_each(|mark| add(&mut marks, mark));
    marks.sort();
    Ok(marks)
}

/// What lies between the payload, in parts of a size that is worth a thread.
fn shares((segment, executable): &(Range<u64>, bool), payload: &[Range<u64>]) -> Vec<Share> {
    let mut shares = Vec::new();
    let mut at = segment.start;
    let skipped = payload.iter().filter(|skipped| skipped.start < segment.end && skipped.end > segment.start);
    for (start, end) in skipped.map(|skipped| (skipped.start, skipped.end)).chain([(segment.end, u64::MAX)]) {
        let within = at..start;
        while at < start {
            let own = at..(at + WORTH).min(start);
            at = own.end;
            shares.push(Share { own, within: within.clone(), executable: *executable });
        }
        at = at.max(end);
    }
    shares
}

fn scan_share(reader: &Reader<'_>, share: &Share) -> Result<Vec<Mark>, ImageError> {
    let mut marks = Vec::new();
    let Share { own, within, executable } = share;
    // No text begins with a zero.
    if reader.is_hole(own) {
        return Ok(marks);
    }
    let texts = &*TEXTS;
    let mut thrown = executable.then(|| &*THROWN);
    let what = "a loaded segment";
    let mut before = if own.start > within.start { reader.array::<1>(what, own.start - 1)?[0] } else { 0 };
    let seen = own.start..own.end.saturating_add(LONGEST).min(within.end);
    reader.walk(what, seen, (1, LONGEST), |piece, at, length| {
        let length = length.min(index(own.end.saturating_sub(at)));
        for found in texts.all(piece, length) {
            let kind = texts.kinds[found.pattern().as_usize()];
            let previous = found.start().checked_sub(1).map_or(before, |at| piece[at]);
            let rest = &piece[found.start()..];
            let rest = &rest[..rest.len().min(index(LONGEST))];
            let Some(end) = memchr::memchr(0, rest) else { continue };
            let whole = &rest[..end];
            if let Some(text) = text(kind, previous, whole, found.len()) {
                add(&mut marks, Mark { kind, text });
            }
        }
        if thrown.is_some_and(|thrown| thrown.find(piece).is_some_and(|at| at < length)) {
            add(&mut marks, Mark { kind: MarkKind::Exceptions, text: "GNUCC++".to_owned() });
            thrown = None;
        }
        let Some(last) = length.checked_sub(1) else { return Ok(false) };
        before = piece[last];
        Ok(true)
    })?;
    Ok(marks)
}

/// The text to show for a match, where it is one.
fn text(kind: MarkKind, previous: u8, whole: &[u8], matched: usize) -> Option<String> {
    if kind == MarkKind::LastWords {
        // The first text of all follows code, of which any byte may be the last.
        return (whole.len() == matched).then(|| String::from_utf8_lossy(whole).into_owned());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// As a linker for aarch64 lays them out: the first text behind the last instruction.
    #[test]
    fn last_words_behind_code_are_seen() {
        let bytes: Vec<u8> = LAST_WORDS
            .iter()
            .flat_map(|text| [&b"\xc0\x03\x5f\xd6"[..], text.as_bytes(), b"\0"].concat())
            .collect();
        let source = bytes.as_slice();
        let marks = scan(&Reader::new(&source), &[(0..bytes.len() as u64, true)], &[]).expect("read");
        assert_eq!(marks.len(), LAST_WORDS.len());
    }

    /// Texts at the ends of shares and pieces, and one that lies across.
    #[test]
    fn shares_find_what_one_pass_finds() {
        let size = index(3 * WORTH) + 12345;
        let mut bytes = vec![1; size];
        let texts = (0..40).map(|number| format!("\0/home/me/file{number}.cu\0").into_bytes());
        let share = index(WORTH);
        let places = [0, 1, share - 30, share - 12, share, 2 * share - 1, size - 40];
        for (place, text) in places.into_iter().zip(texts) {
            bytes[place..place + text.len()].copy_from_slice(&text);
        }
        let source = bytes.as_slice();
        let reader = Reader::new(&source);
        let range = 0..size as u64;
        let shared = scan(&reader, &[(range.clone(), false)], &[]).expect("read");
        let whole = Share { own: range.clone(), within: range, executable: false };
        let mut single = scan_share(&reader, &whole).expect("read");
        single.sort();
        assert_eq!(shared, single);
        assert!(shared.len() >= 4, "{shared:?}");
    }
}
