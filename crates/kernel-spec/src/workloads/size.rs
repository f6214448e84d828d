//! A size in terms of dimensions: sums of products and quotients, as `2*D`, `B + 1` or `K/2`.

use std::collections::BTreeMap;

/// No expression that people write has more parts.
const LONGEST: usize = 200;

/// A size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Terms that are added; of each the first factor, and what it is multiplied with or divided by.
    terms: Vec<Vec<(Step, Factor)>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Times,
    By,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Factor {
    Number(u64),
    Dimension(String),
}

impl Size {
    /// A number.
    pub fn number(number: u64) -> Self {
        Self { terms: vec![vec![(Step::Times, Factor::Number(number))]] }
    }

    /// Reads an expression; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        Some(Self { terms: text.split('+').map(term).collect::<Option<_>>()? })
    }

    /// The dimensions that it needs.
    pub fn dimensions(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().flatten().filter_map(|(_, factor)| match factor {
            Factor::Dimension(name) => Some(name.as_str()),
            Factor::Number(_) => None,
        })
    }

    /// Its value; `None` where a dimension is missing, a division has a remainder, or it is too large.
    pub fn of(&self, sizes: &BTreeMap<String, u64>) -> Option<u64> {
        let mut sum: u64 = 0;
        for term in &self.terms {
            let mut product: u64 = 1;
            for (step, factor) in term {
                let value = match factor {
                    Factor::Number(number) => *number,
                    Factor::Dimension(name) => *sizes.get(name)?,
                };
                product = match step {
                    Step::Times => product.checked_mul(value)?,
                    Step::By if value == 0 || !product.is_multiple_of(value) => return None,
                    Step::By => product / value,
                };
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }
}

fn term(text: &str) -> Option<Vec<(Step, Factor)>> {
    let mut factors = Vec::new();
    let (mut rest, mut step) = (text, Step::Times);
    loop {
        let end = rest.find(['*', '/']);
        factors.push((step, factor(rest[..end.unwrap_or(rest.len())].trim())?));
        let Some(end) = end else { return Some(factors) };
        step = if rest.as_bytes()[end] == b'*' { Step::Times } else { Step::By };
        rest = &rest[end + 1..];
    }
}

fn factor(text: &str) -> Option<Factor> {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return text.parse().ok().map(Factor::Number);
    }
    super::parse::is_name(text).then(|| Factor::Dimension(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_sizes_are_read_and_computed() {
        let sizes = BTreeMap::from([("D".to_owned(), 12), ("B".to_owned(), 3)]);
        let of = |text: &str| Size::parse(text).and_then(|size| size.of(&sizes));
        assert_eq!(
            [of("7"), of("2*D"), of("B + 1"), of("D/2"), of("2 * B*D/8 + 1")],
            [7, 24, 4, 6, 10].map(Some)
        );
        assert_eq!([of("D/5"), of("E"), of("D/0"), of("99999999999*999999999999")], [None; 4]);
        for text in ["", "2*", "+D", "D-1", "D D", "-1", "D**2", "1.5"] {
            assert_eq!(Size::parse(text), None, "{text}");
        }
    }
}
