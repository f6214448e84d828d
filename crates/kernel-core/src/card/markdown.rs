//! Words of others inside Markdown: a name or a documentation string must not become markup of the card.

/// Text on one line, without tags and table bars; what else it has of Markdown stays.
pub(super) fn text(words: &str) -> String {
    let mut plain = String::with_capacity(words.len());
    for character in words.chars() {
        match character {
            '<' => plain.push_str("&lt;"),
            '|' => plain.push_str("\\|"),
            character if character.is_control() => plain.push(' '),
            character => plain.push(character),
        }
    }
    plain
}

/// A code span that shows exactly these words, whatever runs of backticks they hold.
pub(super) fn span(words: &str) -> String {
    let words: String =
        words.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    let longest = words.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if words.starts_with('`') || words.ends_with('`') || words.is_empty() { " " } else { "" };
    // A bar ends the cell of a table even inside code.
    format!("{fence}{pad}{}{pad}{fence}", words.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_others_are_no_markup() {
        assert_eq!(text("a <b>|`c`\n*d*"), "a &lt;b>\\|`c` *d*");
        assert_eq!(span("x"), "`x`");
        assert_eq!(span("a `b` ``c"), "```a `b` ``c```");
        assert_eq!(span("`b`"), "`` `b` ``");
    }
}
