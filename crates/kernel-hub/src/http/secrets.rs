//! Taking secrets out of what servers answer, however they wrote them down: as they are, with the escapes of addresses or of
//! JSON, or in base 64, as basic authentication has it. The time that it takes is linear in the answer, whatever is in it.
//!
//! What is told to people is held to more than what is read: in the words of a server the beginning of a secret is one too,
//! and so is one that is too short to be looked for in data.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use memchr::{memchr, memmem};

use super::token::Token;

/// Fewest characters of what is taken for a secret, or for the beginning of one: what is shorter is found in every text.
const SHORTEST: usize = 8;

/// What stands in the place of a secret.
const INSTEAD: &[u8] = b"[token]";

/// The secrets that were sent.
#[derive(Default)]
pub(super) struct Secrets {
    known: Vec<Token>,
    finder: Finder,
}

/// Finds all secrets at once.
#[derive(Clone, Default)]
pub(super) enum Finder {
    /// There are none.
    #[default]
    Nothing,
    Forms(Arc<Forms>),
    /// They are too many or too long: nothing can be told from them.
    Everything,
}

/// The ways in which secrets are written.
pub(super) struct Forms {
    /// Finds those that are looked for everywhere.
    whole: AhoCorasick,
    all: Vec<Vec<u8>>,
}

impl fmt::Debug for Finder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Finder")
    }
}

impl Secrets {
    /// Adds a secret.
    pub(super) fn keep(&mut self, secret: &Token) {
        if self.known.contains(secret) {
            return;
        }
        self.known.push(secret.clone());
        let mut all: Vec<Vec<u8>> = self.known.iter().flat_map(|secret| forms(secret.text())).collect();
        all.sort_unstable();
        all.dedup();
        let long = all.iter().filter(|form| form.len() >= SHORTEST);
        // The smallest kind: a token of a job has thousands of characters.
        let built = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(long);
        self.finder = built.map_or(Finder::Everything, |whole| Finder::Forms(Arc::new(Forms { whole, all })));
    }

    /// What finds those that are known now.
    pub(super) fn finder(&self) -> Finder {
        self.finder.clone()
    }
}

impl Finder {
    /// Bytes without any secret in them.
    pub(super) fn redact(&self, bytes: Vec<u8>) -> Vec<u8> {
        let forms = match self {
            Self::Nothing => return bytes,
            Self::Everything => return INSTEAD.to_vec(),
            Self::Forms(forms) => forms,
        };
        let whole =
            |text: &[u8]| forms.whole.find_overlapping_iter(text).map(|found| found.range()).collect();
        let found = in_every_reading(&bytes, whole);
        without(bytes, found)
    }

    /// What a server says, for people: also without beginnings of secrets, and without those that are short. Meant for
    /// short texts: it compares at every place.
    pub(super) fn told(&self, text: &str) -> String {
        let forms = match self {
            Self::Nothing => return text.to_owned(),
            Self::Everything => return String::from_utf8_lossy(INSTEAD).into_owned(),
            Self::Forms(forms) => forms,
        };
        let found = in_every_reading(text.as_bytes(), |text| forms.beginnings(text));
        String::from_utf8_lossy(&without(text.as_bytes().to_vec(), found)).into_owned()
    }
}

impl Forms {
    /// Where a text has the beginning of a form, as long as it goes on.
    fn beginnings(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for at in 0..text.len() {
            let shared = self.all.iter().filter_map(|form| {
                let length = form.iter().zip(&text[at..]).take_while(|(one, other)| one == other).count();
                (length >= form.len().min(SHORTEST)).then_some(length)
            });
            found.extend(shared.max().map(|length| at..at + length));
        }
        found
    }
}

/// What is found in a text, by itself and as it is read with each kind of escapes.
fn in_every_reading(text: &[u8], find: impl Fn(&[u8]) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut found = find(text);
    for read in readers(text) {
        let (read, places) = read_all(text, read);
        let place = |at: usize| places.get(at).map_or(text.len(), |place| *place as usize);
        found.extend(find(&read).into_iter().map(|found| place(found.start)..place(found.end)));
    }
    found
}

/// Bytes without these ranges of them, in any order.
fn without(bytes: Vec<u8>, mut found: Vec<Range<usize>>) -> Vec<u8> {
    if found.is_empty() {
        return bytes;
    }
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let (mut cleaned, mut from) = (Vec::new(), 0);
    for Range { start, end } in found {
        if start >= from {
            cleaned.extend_from_slice(&bytes[from..start]);
            cleaned.extend_from_slice(INSTEAD);
        }
        from = from.max(end);
    }
    cleaned.extend_from_slice(&bytes[from..]);
    cleaned
}

/// A secret as it may be found in a text, also where the text is read as if it had escapes and the secret looks like one.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let mut forms = in_base64(secret);
    forms.retain(|form| form.len() >= SHORTEST);
    forms.push(secret.as_bytes().to_vec());
    forms.extend(readers(secret.as_bytes()).into_iter().map(|read| read_all(secret.as_bytes(), read).0));
    forms
}

/// The secret in base 64, without what depends on the text around it: behind a text of any length, in both alphabets.
fn in_base64(secret: &str) -> Vec<Vec<u8>> {
    let mut forms = Vec::new();
    for before in 0..3 {
        let text = [&[0; 2][..before], secret.as_bytes()].concat();
        // Of each three bytes four characters are made; those of a group that is not the secret's alone go.
        let begin = [0, 2, 3][before];
        let end = text.len() * 8 / 6;
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let encoded = engine.encode(&text);
            forms.extend(encoded.get(begin..end).map(|core| core.as_bytes().to_vec()));
        }
    }
    forms
}

/// Reads the character at the start of a text; how many bytes stand for it.
type Read = fn(&[u8]) -> Option<(u8, usize)>;

/// The ways to read a text by which it may be another one.
fn readers(text: &[u8]) -> Vec<Read> {
    let (percent, backslash) = (memchr(b'%', text).is_some(), memchr(b'\\', text).is_some());
    let mut readers: Vec<Read> = Vec::new();
    if percent {
        readers.push(in_address);
    }
    if backslash {
        readers.extend([in_json as Read, in_address_in_json]);
    }
    if backslash && memmem::find(text, br"\\").is_some() {
        readers.extend([in_json_twice as Read, in_address_in_json_twice]);
    }
    readers
}

/// A text as it is read, and where each of its characters stands, of which there are never 4 GiB.
fn read_all(text: &[u8], read: Read) -> (Vec<u8>, Vec<u32>) {
    let (mut characters, mut places, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some((character, length)) = read(&text[at..]) {
        characters.push(character);
        places.push(u32::try_from(at).unwrap_or(u32::MAX));
        at += length;
    }
    (characters, places)
}

fn plain(text: &[u8]) -> Option<(u8, usize)> {
    text.first().map(|first| (*first, 1))
}

fn in_address(text: &[u8]) -> Option<(u8, usize)> {
    unescaped_address(text, plain)
}

fn in_json(text: &[u8]) -> Option<(u8, usize)> {
    unescaped_json(text, plain)
}

fn in_address_in_json(text: &[u8]) -> Option<(u8, usize)> {
    unescaped_address(text, in_json)
}

fn in_json_twice(text: &[u8]) -> Option<(u8, usize)> {
    unescaped_json(text, in_json)
}

fn in_address_in_json_twice(text: &[u8]) -> Option<(u8, usize)> {
    unescaped_address(text, in_json_twice)
}

/// As addresses write it: by itself, or as `%68`.
fn unescaped_address(text: &[u8], read: Read) -> Option<(u8, usize)> {
    let (first, length) = read(text)?;
    let escape = || hexadecimal(text, length, 2, read).filter(|_| first == b'%');
    Some(escape().unwrap_or((first, length)))
}

/// As JSON writes it: by itself, as `\u0068`, or as `\/`.
fn unescaped_json(text: &[u8], read: Read) -> Option<(u8, usize)> {
    let (first, length) = read(text)?;
    if first != b'\\' {
        return Some((first, length));
    }
    let escape = || {
        let (second, more) = read(text.get(length..)?)?;
        match second {
            b'u' => hexadecimal(text, length + more, 4, read),
            b'/' | b'"' | b'\\' => Some((second, length + more)),
            _ => None,
        }
    };
    Some(escape().unwrap_or((first, length)))
}

/// The character whose number stands at a place of a text in so many hexadecimal digits, and where they end.
fn hexadecimal(text: &[u8], mut at: usize, digits: usize, read: Read) -> Option<(u8, usize)> {
    let mut number = 0;
    for _ in 0..digits {
        let (digit, length) = read(text.get(at..)?)?;
        number = number * 16 + char::from(digit).to_digit(16)?;
        at += length;
    }
    Some((u8::try_from(number).ok()?, at))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};

    fn finder(secrets: &[&str]) -> Finder {
        let mut kept = Secrets::default();
        for secret in secrets {
            kept.keep(&Token::new(secret).expect("a token"));
        }
        kept.finder()
    }

    fn shown(finder: &Finder, text: &str) -> String {
        String::from_utf8(finder.redact(text.as_bytes().to_vec())).expect("UTF-8")
    }

    #[test]
    fn a_secret_is_taken_out_however_it_is_written() {
        let finder = finder(&["hf_secret+/Writer"]);
        let shown = |text: &str| shown(&finder, text);
        assert_eq!(shown("a hf_secret+/Writer b%hf_secret+/Writer"), "a [token] b%[token]");
        assert_eq!(shown("hf_secret+/Writerhf_secret+/Writer"), "[token][token]");
        assert_eq!(shown("hf%5Fsecret%2b%2FWriter"), "[token]");
        assert_eq!(shown("\\u0068f_\\u0073ecret+/Writer."), "[token].");
        assert_eq!(shown("hf_secret+\\/Writer hf_secret\\u002B\\/Writer"), "[token] [token]");
        assert_eq!(shown("hf\\u0025\\u0035Fsecret+%2\\u0066Writer"), "[token]", "an escape in an escape");
        assert_eq!(
            shown("{\\\"a\\\": \\\"\\\\u0068f_secret+\\\\/Writer\\\"}"),
            "{\\\"a\\\": \\\"[token]\\\"}"
        );
        assert_eq!(shown("hf_secret"), "hf_secret", "another one");
        assert_eq!(shown("hf_secret\\u992bx \\u00 %2"), "hf_secret\\u992bx \\u00 %2");
        for user in ["", "u", "me", "hf_user"] {
            for engine in [STANDARD, URL_SAFE] {
                let basic = engine.encode(format!("{user}:hf_secret+/Writer"));
                let left = shown(&format!("Basic {basic}!"));
                assert!(left.contains("[token]"), "{left}");
                let in_json = shown(&format!("\"{}\"", basic.replace('/', "\\/")));
                assert!(in_json.contains("[token]"), "{in_json}");
                let longest = left.split("[token]").map(str::len).max().unwrap_or_default();
                assert!(longest <= "Basic ".len() + basic.len() - 17, "{left} of {basic}");
            }
        }
    }

    #[test]
    fn quotes_and_backslashes_of_a_secret_are_escaped_in_json() {
        let secret = r#"hf_a"b\c\nd"#;
        let json = serde_json::to_string(secret).expect("JSON");
        assert_eq!(shown(&finder(&[secret]), &format!("{json} {secret}")), r#""[token]" [token]"#);
    }

    #[test]
    fn a_secret_that_looks_like_an_escape_is_found() {
        let secret = r"hf_a%41\u0042\/c";
        let finder = finder(&[secret]);
        let json = serde_json::to_string(secret).expect("JSON");
        assert_eq!(shown(&finder, &format!("{json} {secret}")), r#""[token]" [token]"#);
        assert_eq!(shown(&finder, r"%68f_a%41\u0042\/c"), "[token]", "with an escape before it");
    }

    #[test]
    fn of_secrets_that_share_their_beginning_nothing_is_left() {
        let finder = finder(&["hf_secret_one", "hf_secret_one_and_more", "short"]);
        let text = "hf_secret_one_and_more hf_secret_one short";
        assert_eq!(shown(&finder, text), "[token] [token] short");
    }

    #[test]
    fn people_are_shown_no_beginning_of_a_secret_and_no_short_one() {
        let finder = finder(&["hf_secret+/Writer", "short", r"a\b"]);
        let told = |text: &str| finder.told(text);
        assert_eq!(told("hf_secret+/W... hf_secre, hf_secr"), "[token]... [token], hf_secr");
        assert_eq!(told("hf_secret_other"), "[token]_other");
        assert_eq!(told("hf%5Fsecret%2b \\u0068f_secret."), "[token] [token].");
        assert_eq!(told("Basic dTpoZl9zZWNyZXQrL1dy"), "Basic dTp[token]", "base 64 that was cut off");
        assert_eq!(told(r"a shortcut; a\b a\\b sho"), "a [token]cut; [token] [token] sho");
        assert_eq!(shown(&finder, "hf_secret+/W short"), "hf_secret+/W short", "data stay what they are");
        let finder = super::tests::finder(&[&"a".repeat(5000)]);
        let begin = Instant::now();
        assert_eq!(finder.told(&"a".repeat(1000)), "[token]");
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    }

    #[test]
    fn an_answer_made_of_beginnings_of_secrets_takes_no_longer() {
        let secret = format!("{}b", "a".repeat(5000));
        let finder = finder(&[&secret]);
        for piece in ["a", "%61", "\\u0061", "\\\\u0061"] {
            let text = piece.repeat((1 << 19) / piece.len());
            let begin = Instant::now();
            assert_eq!(finder.redact(text.clone().into_bytes()), text.into_bytes());
            // By comparing at each place it would be 5000 times as much.
            assert!(begin.elapsed() < Duration::from_secs(20), "{piece}: {:?}", begin.elapsed());
        }
    }
}
