//! The ways in which Python makes a text of others: `%`, `format`, `join` and the methods of a text.

use std::collections::BTreeMap;

use super::text::{Piece, Text, Texts, has_own, joined, known, unknown, whole};

/// `template % values`.
pub(super) fn percent(template: &Texts, values: &[Texts]) -> Texts {
    each(template, |template| {
        let mut texts = known("");
        let mut values = values.iter();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('%') {
            texts = joined(&texts, &known(before));
            let Some(kind) = after.chars().next() else { return unknown() };
            let piece = match kind {
                '%' => known("%"),
                's' | 'd' => values.next().cloned().unwrap_or_else(unknown),
                _ => return unknown(),
            };
            texts = joined(&texts, &piece);
            rest = &after[kind.len_utf8()..];
        }
        joined(&texts, &known(rest))
    })
    .unwrap_or_else(|| of_own(values.iter().chain([template])))
}

/// `template.format(values, named)`.
pub(super) fn braces(template: &Texts, values: &[Texts], named: &BTreeMap<&str, Texts>) -> Texts {
    each(template, |template| {
        let mut texts = known("");
        let mut next = 0;
        let mut rest = template;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, after) = rest.split_at(at);
            texts = joined(&texts, &known(before));
            if after.starts_with("{{") || after.starts_with("}}") {
                texts = joined(&texts, &known(&after[..1]));
                rest = &after[2..];
                continue;
            }
            let Some((field, after)) = after[1..].split_once('}') else { return unknown() };
            let value = match field {
                "" => {
                    next += 1;
                    values.get(next - 1)
                }
                field => field.parse::<usize>().map_or_else(|_| named.get(field), |place| values.get(place)),
            };
            texts = joined(&texts, &value.cloned().unwrap_or_else(unknown));
            rest = after;
        }
        joined(&texts, &known(rest))
    })
    .unwrap_or_else(|| of_own(values.iter().chain(named.values()).chain([template])))
}

/// `between.join(parts)`.
pub(super) fn join(between: &Texts, parts: &[Texts]) -> Texts {
    let mut texts = known("");
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            texts = joined(&texts, between);
        }
        texts = joined(&texts, part);
    }
    texts
}

/// A method of a text that gives another; `None` for any other method, or where the text is not known.
pub(super) fn method(name: &str, text: &Texts, values: &[Texts]) -> Option<Texts> {
    let mut constants = Vec::new();
    for value in values {
        let only = value.iter().next().filter(|_| value.len() == 1)?;
        constants.push(whole(only)?);
    }
    let one = |text: &str| -> Option<String> {
        let is_listed = |character: char| match constants.first() {
            Some(listed) => listed.contains(character),
            None => character.is_whitespace(),
        };
        Some(match (name, constants.as_slice()) {
            ("lower" | "casefold", []) => text.to_lowercase(),
            ("upper", []) => text.to_uppercase(),
            ("strip", [] | [_]) => text.trim_matches(is_listed).to_owned(),
            ("lstrip", [] | [_]) => text.trim_start_matches(is_listed).to_owned(),
            ("rstrip", [] | [_]) => text.trim_end_matches(is_listed).to_owned(),
            ("removeprefix", [prefix]) => text.strip_prefix(prefix).unwrap_or(text).to_owned(),
            ("removesuffix", [suffix]) => text.strip_suffix(suffix).unwrap_or(text).to_owned(),
            ("replace", [from, to]) => text.replace(from, to),
            _ => return None,
        })
    };
    text.iter().map(|text| Some(vec![Piece::Known(one(whole(text)?)?)])).collect()
}

/// What stands before or behind the one `::` of a text; `None` where that is not known.
pub(super) fn part(text: &Text, is_first: bool, is_last: bool) -> Option<Text> {
    let holds = |piece: &Piece| matches!(piece, Piece::Known(text) if text.contains("::"));
    let at = text.iter().position(holds)?;
    let Piece::Known(known) = &text[at] else { return None };
    let (before, after) = known.split_once("::")?;
    let is_one =
        !after.contains("::") && !text[at + 1..].iter().any(|piece| *piece != Piece::Unknown && holds(piece));
    let piece = |text: &str| (!text.is_empty()).then(|| Piece::Known(text.to_owned()));
    match (is_first, is_last && is_one) {
        (true, _) => Some(text[..at].iter().cloned().chain(piece(before)).collect()),
        (_, true) => Some(piece(after).into_iter().chain(text[at + 1..].iter().cloned()).collect()),
        _ => None,
    }
}

/// Every template that is known, filled in; `None` where one is not.
fn each(templates: &Texts, fill: impl Fn(&str) -> Texts) -> Option<Texts> {
    let filled: Option<Vec<Texts>> = templates.iter().map(|text: &Text| whole(text).map(&fill)).collect();
    filled.map(|filled| filled.into_iter().flatten().collect())
}

/// What is made of others in a way that was not followed.
fn of_own<'t>(mut parts: impl Iterator<Item = &'t Texts>) -> Texts {
    if parts.any(has_own) { Texts::from([vec![Piece::Own]]) } else { unknown() }
}
