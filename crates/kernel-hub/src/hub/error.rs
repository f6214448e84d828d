//! What a Hub refuses, told so that the user knows what to do.

use camino::Utf8PathBuf;
use miette::Diagnostic;
use thiserror::Error;

use super::{Endpoint, Login};
use crate::http::{HttpError, Problem};

/// Why the Hub did not do what it was asked.
#[derive(Debug, Error, Diagnostic)]
#[allow(missing_docs, reason = "the texts are the documentation")]
pub enum HubError {
    #[error(transparent)]
    #[diagnostic(transparent)]
    Http(#[from] HttpError),

    #[error("you are not logged in to {endpoint}")]
    #[diagnostic(code("hub/login"), help("{help}"))]
    NoToken {
        endpoint: String,
        help: String,
        #[source]
        answer: Answered,
    },

    #[error("{endpoint} does not accept the token from {origin}")]
    #[diagnostic(code("hub/token"), help("{help}"))]
    BadToken {
        endpoint: String,
        origin: String,
        help: String,
        #[source]
        answer: Answered,
    },

    #[error("the token in {origin} holds characters that no token has")]
    #[diagnostic(
        code("hub/token"),
        help("a token is one word, such as `hf_…`: copy it anew from the settings of your account")
    )]
    UnusableToken { origin: String },

    #[error("{origin} is blank")]
    #[diagnostic(
        code("hub/token"),
        help(
            "set it, or take it away so that something else is used; a CI job gets a blank one for what it may not see"
        )
    )]
    Blank { origin: String },

    #[error("the stored token in `{path}` cannot be read")]
    #[diagnostic(
        code("environment/unreadable"),
        help("make it a regular file that holds one token, or set `HF_TOKEN`")
    )]
    UnreadableToken {
        path: Utf8PathBuf,
        #[source]
        reason: std::io::Error,
    },

    #[error("there is no identity to publish with")]
    #[diagnostic(
        code("hub/identity"),
        help(
            "let the job ask for one (on GitHub: `permissions: id-token: write`), or give its token in `HF_OIDC_ID_TOKEN`; without `HF_OIDC_RESOURCE` the stored token is used"
        )
    )]
    NoIdentity,

    #[error("{endpoint} gives this job no token for `{resource}`")]
    #[diagnostic(
        code("hub/publisher"),
        help(
            "name this workflow as a trusted publisher in the settings of the repository; the job's identity must be made out to {endpoint}"
        )
    )]
    NotPublisher {
        endpoint: String,
        resource: String,
        #[source]
        answer: Answered,
    },

    #[error("{who} may not {what}")]
    #[diagnostic(code("hub/permission"), help("{help}"))]
    Forbidden {
        who: String,
        what: String,
        help: String,
        #[source]
        answer: Answered,
    },

    #[error("there is no user or organization `{owner}`")]
    #[diagnostic(
        code("hub/namespace"),
        help("check the part before the slash, or create the organization first")
    )]
    NoNamespace {
        owner: String,
        #[source]
        answer: Answered,
    },

    #[error("`{repository}` does not exist, or you may not see it")]
    #[diagnostic(code("hub/repository"), help("check the name, and that the token may read it"))]
    NoRepository {
        repository: String,
        #[source]
        answer: Answered,
    },

    #[error("`{path}` could not be stored: {reason}")]
    #[diagnostic(code("hub/refused"), help("the server's own words say why"))]
    NotStored { path: String, reason: String },

    #[error("the store for large files, to which the Hub sends them, does not take `{path}`")]
    #[diagnostic(
        code("hub/refused"),
        help(
            "the store's own words say why; what it allows ends after a time, so run the same command again: finished work is kept"
        )
    )]
    NotTaken {
        path: String,
        #[source]
        answer: Answered,
    },

    #[error("`{revision}` of `{repository}` is gone: somebody removed it meanwhile")]
    #[diagnostic(code("hub/contended"), help("run the same command again when the other uploads have ended"))]
    Gone {
        revision: String,
        repository: String,
        #[source]
        answer: Answered,
    },

    #[error("`{branch}` of `{repository}` changes faster than it can be brought up to date")]
    #[diagnostic(code("hub/contended"), help("run the same command again when the other uploads have ended"))]
    Contended { branch: String, repository: String },

    #[error("something was committed to `{branch}` of `{repository}` meanwhile")]
    #[diagnostic(code("hub/contended"), help("run the same command again when the other uploads have ended"))]
    Moved {
        branch: String,
        repository: String,
        #[source]
        answer: Answered,
    },

    #[error("the branch `{branch}` of `{repository}` could not be made, and it is not there")]
    #[diagnostic(code("hub/refused"), help("the server's own words say why"))]
    NotMade {
        branch: String,
        repository: String,
        #[source]
        answer: Answered,
    },

    #[error("`{branch}` of `{repository}` does not hold what the Hub said it had committed there")]
    #[diagnostic(
        code("hub/not-kept"),
        help("look at the branch there, and run the same command again; if it stays so, tell the operators")
    )]
    NotKept { branch: String, repository: String },

    #[error("a file could not be read")]
    #[diagnostic(code("environment/file"), help("look at the path and the system's reason above"))]
    File(#[from] std::io::Error),
}

/// What somebody asked for who then is told why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// To see something.
    Read,
    /// To change something.
    Change,
    /// To propose a change.
    Propose,
}

impl Wish {
    /// Changes that may be proposals only.
    pub(super) fn proposed(proposed: bool) -> Self {
        if proposed { Self::Propose } else { Self::Change }
    }

    fn right(self) -> &'static str {
        if self == Self::Read { "the right to read what you ask for" } else { "the right to write" }
    }
}

/// A server's answer, as a cause.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Answered(pub Box<Problem>);

impl From<Problem> for Answered {
    fn from(problem: Problem) -> Self {
        Self(Box::new(problem))
    }
}

impl HubError {
    /// The answer 401.
    pub(super) fn login(endpoint: &Endpoint, login: &Login, wish: Wish, problem: Problem) -> Self {
        let (endpoint, answer) = (endpoint.to_string(), Answered::from(problem));
        let right = wish.right();
        if let Some(origin) = login.origin() {
            let help = if login.is_exchanged() {
                "such a token is valid for a short time: run the same command again, finished work is kept"
                    .to_owned()
            } else {
                format!("make a new token with {right} in the settings of your account, and put it there")
            };
            return Self::BadToken { endpoint, origin: origin.to_owned(), help, answer };
        }
        let help = match login.withheld() {
            Some(path) => format!(
                "set `HF_TOKEN` to a token of {endpoint}; the one in `{path}` is for the public Hub, so it was not sent there"
            ),
            None => format!("set `HF_TOKEN` to a token with {right}, or run `hf auth login`"),
        };
        Self::NoToken { endpoint, help, answer }
    }

    /// The server's problem, where it answered.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Http(error) => error.problem(),
            Self::NoToken { answer, .. }
            | Self::BadToken { answer, .. }
            | Self::NotPublisher { answer, .. }
            | Self::Forbidden { answer, .. }
            | Self::NoNamespace { answer, .. }
            | Self::NoRepository { answer, .. }
            | Self::NotTaken { answer, .. }
            | Self::Gone { answer, .. }
            | Self::Moved { answer, .. }
            | Self::NotMade { answer, .. } => Some(&answer.0),
            _ => None,
        }
    }

    /// Whether the work may have been done although there is this error, or may be done by another attempt.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Http(HttpError::Unreachable { .. }) | Self::Moved { .. } => true,
            other => other.problem().is_some_and(|problem| matches!(problem.status, 408 | 500..)),
        }
    }

    /// Whether a commit was refused because its branch went on.
    pub(crate) fn is_moved(&self) -> bool {
        matches!(self, Self::Moved { .. })
    }
}
