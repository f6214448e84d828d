//! Addresses of Git repositories: a URL of a known scheme, or the `user@host:path` form. Section 1.2 of the format.

/// Schemes that may be used. `file` is not among them: an address must mean the same for everybody.
static SCHEMES: &[&str] = &["https", "http", "git", "ssh", "git+ssh", "git+https", "git+http"];

/// Why a text is no address of a Git repository.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum GitUrlError {
    #[error("the scheme `{0}` is not one of https, http, git, ssh, git+ssh, git+https and git+http")]
    Scheme(String),
    #[error("it names no host")]
    Host,
    #[error("it is neither a URL nor of the form `user@host:path`")]
    Form,
    #[error("it holds a control character")]
    Control,
}

/// Checks a text.
pub(super) fn check(text: &str) -> Result<(), GitUrlError> {
    if text.chars().any(char::is_control) {
        return Err(GitUrlError::Control);
    }
    let (before, after) = text.trim().split_once(':').ok_or(GitUrlError::Form)?;
    if is_scheme(before) {
        return check_url(before, after);
    }
    let is_remote = !before.is_empty() && !before.contains(char::is_whitespace);
    if is_remote && !after.is_empty() && !after.starts_with('/') { Ok(()) } else { Err(GitUrlError::Form) }
}

fn check_url(scheme: &str, rest: &str) -> Result<(), GitUrlError> {
    if !SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
        return Err(GitUrlError::Scheme(scheme.to_owned()));
    }
    let authority = rest.trim_start_matches('/').split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.is_empty() || host.starts_with(':') { Err(GitUrlError::Host) } else { Ok(()) }
}

fn is_scheme(text: &str) -> bool {
    let rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(rest)
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
            ("https://", GitUrlError::Host),
            ("https://user@/x", GitUrlError::Host),
            ("u@host:", GitUrlError::Form),
            ("u@host:/x", GitUrlError::Form),
            ("", GitUrlError::Form),
            ("https://x/\n", GitUrlError::Control),
        ] {
            assert_eq!(check(text), Err(error), "{text}");
        }
    }
}
