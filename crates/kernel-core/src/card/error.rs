//! Why there is no card.

use kernel_spec::error::Faults;
use miette::Diagnostic;
use thiserror::Error;

use crate::front_matter::{NotYaml, Unread};

/// Why a card could not be made.
#[derive(Debug, Error, Diagnostic)]
pub enum CardError {
    /// A file could not be read or written.
    #[error("could not read what the card is made from")]
    #[diagnostic(code("environment/file"), help("look at the path and the system's reason above"))]
    File(#[from] std::io::Error),

    /// Something the card is made from is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Faults(#[from] Faults),

    /// The files of the package could not be collected.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Inputs(#[from] Box<crate::Error>),

    /// The project's template does not render.
    #[error("the template `{file}` does not render")]
    #[diagnostic(code("card/template"), help("mend the template at the line named above"))]
    Template {
        /// The template.
        file: String,
        /// What is wrong with it.
        #[source]
        source: minijinja::Error,
    },

    /// What lies at the card's place is not ours.
    #[error("`{file}` is no card that kernel-builder wrote, and is left as it is")]
    #[diagnostic(code("card/foreign"), help("move it away, or name another file with `--output`"))]
    Foreign {
        /// The file.
        file: String,
    },

    /// What lies at the preview's place is not ours.
    #[error("`{file}` is no preview that kernel-builder wrote, and is left as it is")]
    #[diagnostic(code("card/foreign"), help("move it away, or name another file with `--preview`"))]
    ForeignPreview {
        /// The file.
        file: String,
    },

    /// Somebody made the file read-only.
    #[error("`{file}` is read-only, and is left as it is")]
    #[diagnostic(code("card/read-only"), help("make it writable with `chmod u+w`, or name another file"))]
    ReadOnly {
        /// The file.
        file: String,
    },

    /// The marks around the user's text are broken.
    #[error("the marks around your own text in `{file}` are not one beginning and one end")]
    #[diagnostic(
        code("card/marks"),
        help("put both marks back, each once, or move the file away; nothing was written")
    )]
    Torn {
        /// The file.
        file: String,
    },

    /// The front-matter has no end.
    #[error("the front-matter of `{file}` begins with `---` but has no closing `---`")]
    #[diagnostic(code("card/front-matter"), help("close the front-matter with a line `---`"))]
    FrontMatter {
        /// The template.
        file: String,
    },

    /// The front-matter cannot be taken apart, so nothing can be added to it.
    #[error("the front-matter of `{file}` cannot be added to")]
    #[diagnostic(
        code("card/front-matter"),
        help("begin each key on a line of its own, without indentation: `key: value`")
    )]
    Unread {
        /// The template.
        file: String,
        /// The line.
        #[source]
        source: Unread,
    },

    /// The front-matter is in no client's eyes one.
    #[error("the front-matter of `{file}`, as rendered, cannot be read")]
    #[diagnostic(
        code("card/front-matter"),
        help("mend the line; quote a value that has `: ` or a bracket in it, and indent with blanks")
    )]
    NotYaml {
        /// The template.
        file: String,
        /// Where.
        #[source]
        source: NotYaml,
    },
}
