//! Codes of `card`.

codes! {
    /// The codes of cards.
    ALL;
    TEMPLATE = "card/template", Manifest,
        means: "The project's own `CARD.md` is a template that does not render",
        example: "`{% if functions %}` without `{% endif %}`",
        remedy: "Mend the template at the line that is named";
    FRONT_MATTER = "card/front-matter", Manifest,
        means: "The front-matter of the project's `CARD.md` is not closed, is no YAML as rendered, or cannot be taken apart line by line",
        example: "a first line `---` and no second one",
        remedy: "Close the front-matter with a line `---`, begin each key on a line of its own, and quote values with `: ` or brackets";
    FOREIGN = "card/foreign", Check,
        means: "The file that a card or its preview would be written to is somebody else's",
        example: "`kernel-builder card --output README.md` where `README.md` was written by hand",
        remedy: "Move it away, or name another file with `--output` or `--preview`";
    READ_ONLY = "card/read-only", Check,
        means: "The file that a card or its preview would be written to is read-only",
        example: "`kernel-builder card` after `chmod 444 build/CARD.md`",
        remedy: "Make it writable with `chmod u+w`, or name another file";
    MARKS = "card/marks", Check,
        means: "The two marks around the user's own text in a written card are not there once each",
        example: "a card from which the second mark was deleted",
        remedy: "Put both marks back, each once, or move the file away";
}
