//! Addresses of Git repositories: a URL of a known scheme, or the `user@host:path` form. Section 1.2 of the format; what the
//! loader's parser refuses in metadata makes a variant that nobody can load.

use url::{ParseError, Url};

/// Schemes that may be used. `file` is not among them: an address must mean the same for everybody.
static SCHEMES: &[&str] = &["https", "http", "git", "ssh", "git+ssh", "git+https", "git+http"];

/// Why a text is no address of a Git repository.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GitUrlError {
    #[error("the scheme `{0}` is not one of https, http, git, ssh, git+ssh, git+https and git+http")]
    Scheme(String),
    #[error("{0}")]
    Url(ParseError),
    #[error("it is neither a URL nor of the form `user@host:path`")]
    Form,
    #[error("it holds a control character")]
    Control,
}

/// Checks a text as the loader does, but for control characters: those the loader takes.
pub(crate) fn check(text: &str) -> Result<(), GitUrlError> {
    if text.chars().any(char::is_control) {
        return Err(GitUrlError::Control);
    }
    match Url::parse(text) {
        Ok(url) if SCHEMES.contains(&url.scheme()) => Ok(()),
        Ok(url) => Err(GitUrlError::Scheme(url.scheme().to_owned())),
        Err(_) if is_remote(text) => Ok(()),
        Err(ParseError::RelativeUrlWithoutBase) => Err(GitUrlError::Form),
        Err(error) => Err(GitUrlError::Url(error)),
    }
}

/// Whether a text has the form `user@host:path`, which stands for `ssh://user@host/path`.
fn is_remote(text: &str) -> bool {
    text.split_once(':').is_some_and(|(host, path)| {
        !host.is_empty()
            && !path.is_empty()
            && !path.starts_with('/')
            && Url::parse(&format!("ssh://{host}/{path}")).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_mean_the_same_for_everybody_are_taken() {
        for text in
            ["https://x/y.git", "git@host:owner/name", "git+ssh://u@h:22/p", "HTTP://x", "a/b:c", "https:x"]
        {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        for (text, error) in [
            ("file:///x", GitUrlError::Scheme("file".to_owned())),
            ("host:path", GitUrlError::Scheme("host".to_owned())),
            ("https://", GitUrlError::Url(ParseError::EmptyHost)),
            ("https://user@/x", GitUrlError::Url(ParseError::EmptyHost)),
            ("ssh://git@host:owner/name", GitUrlError::Url(ParseError::InvalidPort)),
            ("https://[::1/x", GitUrlError::Url(ParseError::InvalidIpv6Address)),
            ("u@host:", GitUrlError::Form),
            ("u@host:/x", GitUrlError::Form),
            ("u@ho st:x", GitUrlError::Form),
            ("", GitUrlError::Form),
            ("https://x/\n", GitUrlError::Control),
        ] {
            assert_eq!(check(text), Err(error), "{text}");
        }
    }
}
