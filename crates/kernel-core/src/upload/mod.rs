//! Publishing, up to the point where the Hub is asked: what is uploaded, whether it may be, where to, and what the branch
//! should hold afterwards. The exchange itself is `kernel_hub::publish`.

mod as_judged;
pub mod card;
pub mod contents;
pub mod limits;
pub mod preflight;
pub mod results;
pub mod signatures;
pub mod staying;
pub mod target;
pub mod version;

use camino::Utf8PathBuf;
use miette::Diagnostic;
use thiserror::Error;

/// Why there is nothing to upload, or nowhere to.
#[derive(Debug, Error, Diagnostic)]
#[allow(missing_docs, reason = "the texts are the documentation")]
pub enum UploadError {
    #[error("it is not known which repository `{directory}` is published to")]
    #[diagnostic(
        code("upload/target"),
        help("give `--repo-id OWNER/NAME`, or write `repo-id` into `[general.hub]` of `build.toml`")
    )]
    NoRepository { directory: Utf8PathBuf },

    #[error("`{id}` is no name of a repository")]
    #[diagnostic(code("upload/target"), help("write it as OWNER/NAME"))]
    BadRepository { id: String },

    #[error("`{branch}` is no name of a branch")]
    #[diagnostic(code("upload/target"), help("use letters, digits, `-`, `_`, `.` and `/`"))]
    BadBranch { branch: String },

    #[error("the answer cannot be written to `{path}`; nothing was sent")]
    #[diagnostic(
        code("upload/output-json"),
        help(
            "name a file that is not there yet, that is empty, or that an earlier upload wrote; not in a variant"
        )
    )]
    OutputJson {
        path: Utf8PathBuf,
        #[source]
        reason: std::io::Error,
    },

    #[error("`{repository}` is there and {seen}, and `--private` was asked for; nothing was sent")]
    #[diagnostic(
        code("upload/visibility"),
        help(
            "make it private in its settings, or publish without `--private`, which makes new repositories private"
        )
    )]
    Visibility { repository: String, seen: &'static str },

    #[error("`{repository}` has no branch `{branch}` to propose a change to")]
    #[diagnostic(
        code("upload/no-branch"),
        help(
            "ask a maintainer of the repository to publish that version first; afterwards this command works"
        )
    )]
    NoBranch { repository: String, branch: String },

    #[error("the card cannot be merged into `README.md` on `main` of `{repository}`: {reason}")]
    #[diagnostic(
        code("upload/readme"),
        help("mend that file there, or publish without a card: move `build/CARD.md` away")
    )]
    Readme { repository: String, reason: String },

    #[error("`{branch}` of `{repository}` is published, and the card on `main` could not be written")]
    #[diagnostic(
        code("hub/card"),
        help("run the same command again when the cause is gone: what is published is not sent again")
    )]
    Card {
        branch: String,
        repository: String,
        #[source]
        reason: Box<crate::Error>,
    },
}
