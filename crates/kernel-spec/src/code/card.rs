//! Codes of `card`.

codes! {
    /// The codes of cards.
    ALL;
    TEMPLATE = "card/template", Manifest,
        means: "The project's own `CARD.md` is a template that does not render",
        example: "`{% if functions %}` without `{% endif %}`",
        remedy: "Mend the template at the line that is named";
    FRONT_MATTER = "card/front-matter", Manifest,
        means: "The front-matter of the project's `CARD.md` is not closed",
        example: "a first line `---` and no second one",
        remedy: "Close the front-matter with a line `---`";
}
