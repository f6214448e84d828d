//! Texts as far as they are known: in parts, of which some are marked as known only when the file runs.

use std::collections::BTreeSet;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Piece {
    /// It is written out.
    Known(String),
    /// It comes from the generated module, or from the name under which the loader knows the module.
    Own,
    /// Only running the file could tell.
    Unknown,
}

impl Piece {
    /// How much it adds to a text, in bytes; what is not known counts as one.
    fn length(&self) -> usize {
        match self {
            Piece::Known(text) => text.len(),
            Piece::Own | Piece::Unknown => 1,
        }
    }
}

/// A text, in its parts.
pub(super) type Text = Vec<Piece>;

/// Every text that an expression may be.
pub(super) type Texts = BTreeSet<Text>;

/// How many texts one expression may be before it counts as unknown.
pub(super) const MOST: usize = 32;

/// How long a text may be, in bytes, before it counts as unknown; no operator's name comes near it.
const LONGEST: usize = 1 << 10;

pub(super) fn unknown() -> Texts {
    BTreeSet::from([vec![Piece::Unknown]])
}

pub(super) fn own() -> Texts {
    BTreeSet::from([vec![Piece::Own]])
}

/// The name that the helper makes of another.
pub(super) fn prefixed(name: &Texts) -> Texts {
    joined(&joined(&own(), &known("::")), name)
}

pub(super) fn known(text: impl Into<String>) -> Texts {
    BTreeSet::from([vec![Piece::Known(text.into())]])
}

/// The text, where all of it is known.
pub(super) fn whole(text: &[Piece]) -> Option<&str> {
    match text {
        [Piece::Known(text)] => Some(text),
        [] => Some(""),
        _ => None,
    }
}

pub(super) fn has_own(texts: &Texts) -> bool {
    texts.iter().any(|text| text.contains(&Piece::Own))
}

/// Every text of the one before every text of the other.
pub(super) fn joined(left: &Texts, right: &Texts) -> Texts {
    let mut texts = Texts::new();
    for (left, right) in left.iter().flat_map(|left| right.iter().map(move |right| (left, right))) {
        texts.insert(behind(left, right));
        if texts.len() > MOST {
            break;
        }
    }
    limited(texts)
}

/// One text before another.
fn behind(left: &Text, right: &Text) -> Text {
    let length = |text: &Text| -> usize { text.iter().map(Piece::length).sum() };
    let mut text = left.clone();
    if length(left) + length(right) > LONGEST {
        text.retain(|piece| *piece == Piece::Own);
        text.push(Piece::Unknown);
        return text;
    }
    for piece in right {
        match (text.last_mut(), piece) {
            (Some(Piece::Known(before)), Piece::Known(after)) => before.push_str(after),
            (Some(Piece::Unknown), Piece::Unknown) => {}
            _ => text.push(piece.clone()),
        }
    }
    text
}

fn limited(mut texts: Texts) -> Texts {
    if texts.len() > MOST {
        texts.insert(vec![Piece::Unknown]);
        texts = texts.into_iter().take(MOST).chain(unknown()).collect();
    }
    texts
}

/// Either of two; what neither knows anything of is unknown.
pub(super) fn either(texts: impl IntoIterator<Item = Texts>) -> Texts {
    let texts: Texts = texts.into_iter().flatten().collect();
    if texts.is_empty() { unknown() } else { limited(texts) }
}
