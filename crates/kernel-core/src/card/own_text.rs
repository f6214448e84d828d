//! The part of a card that is the user's: what stands between two lines of the written card is carried into the next.

use crate::front_matter;
use crate::marks::Marks;

/// Around the user's part.
const MARKS: Marks = Marks {
    begin: "<!-- kernel-builder: your own text; what stands up to the next mark is kept -->",
    end: "<!-- kernel-builder: end of your own text -->",
};

/// What a file at the card's place is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Earlier {
    /// A card of ours with this text of the user's.
    Card(String),
    /// A card of ours whose marks are not one beginning before one end.
    Torn,
    /// Somebody else's file.
    Foreign,
}

/// The text between its marks, as it stands in a card.
pub(super) fn marked(text: &str) -> String {
    let text = text.trim_matches('\n');
    let gap = if text.is_empty() { "" } else { "\n" };
    let Marks { begin, end } = MARKS;
    format!("{begin}\n{gap}{text}{gap}{gap}{end}")
}

/// Reads an earlier card.
pub(super) fn earlier(card: &str) -> Earlier {
    match MARKS.find(card) {
        Ok(Some(part)) => Earlier::Card(card[part.inside].trim_matches(['\r', '\n']).to_owned()),
        // A template may have put a mark inside another line: what is between would be lost.
        Ok(None) if MARKS.are_quoted(card) => Earlier::Torn,
        Ok(None) if card.trim().is_empty() || is_ours(card) => Earlier::Card(String::new()),
        Ok(None) => Earlier::Foreign,
        Err(_) => Earlier::Torn,
    }
}

/// Cards of before the marks have our key in their front-matter.
fn is_ours(card: &str) -> bool {
    front_matter::split(card)
        .is_ok_and(|parts| parts.inside.lines().any(|line| line.trim_end() == "kernel-builder:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_text_is_found_again() {
        for own in ["", "one", "## A title\n\ntext\n\n- a\n- b"] {
            let card = format!("---\na: 1\n---\n# x\n\n{}\n\nmore\n", marked(own));
            assert_eq!(earlier(&card), Earlier::Card(own.to_owned()));
            assert_eq!(marked(own), marked(&format!("\n{own}\n\n")));
        }
        assert_eq!(earlier("---\nkernel-builder:\n  name: x\n---\n# old\n"), Earlier::Card(String::new()));
        assert_eq!(earlier("# My notes\n"), Earlier::Foreign);
        let Marks { begin, end } = MARKS;
        for torn in
            [format!("{begin}\nlost"), format!("{end}\n{begin}\n"), format!("> {begin}\nlost {end}\n")]
        {
            assert_eq!(earlier(&torn), Earlier::Torn, "{torn}");
        }
        let quoting = format!("The line `{end}` ends it.");
        assert_eq!(earlier(&marked(&quoting)), Earlier::Card(quoting));
    }
}
