//! The part of a card that is the user's: what stands between two lines of the written card is carried into the next.

/// Begins the user's part.
const BEGIN: &str = "<!-- kernel-builder: your own text; what stands up to the next mark is kept -->";
/// Ends the user's part.
const END: &str = "<!-- kernel-builder: end of your own text -->";

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
    format!("{BEGIN}\n{gap}{text}{gap}{gap}{END}")
}

/// Reads an earlier card.
pub(super) fn earlier(card: &str) -> Earlier {
    let count = |mark: &str| card.matches(mark).count();
    match (count(BEGIN), count(END)) {
        (0, 0) if card.trim().is_empty() || is_ours(card) => Earlier::Card(String::new()),
        (0, 0) => Earlier::Foreign,
        (1, 1) => {
            let inside = card.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END));
            inside.map_or(Earlier::Torn, |(text, _)| Earlier::Card(text.trim_matches('\n').to_owned()))
        }
        _ => Earlier::Torn,
    }
}

/// Cards of before the marks have our key in their front-matter.
fn is_ours(card: &str) -> bool {
    super::front_matter::split(card)
        .is_ok_and(|(front_matter, _)| front_matter.lines().any(|line| line == "kernel-builder:"))
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
        assert_eq!(earlier(&format!("{BEGIN}\nlost")), Earlier::Torn);
        assert_eq!(earlier(&format!("{END}\n{BEGIN}\n")), Earlier::Torn);
    }
}
