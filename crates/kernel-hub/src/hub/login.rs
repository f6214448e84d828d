//! Finding the user's token, in the order of the ecosystem: variables first, then the file that a login leaves. A stored
//! token is for the public Hub: it never follows an address that the environment has set.

use std::io::{Error, ErrorKind, Read};

use camino::{Utf8Path, Utf8PathBuf};

use super::{Endpoint, HubError};
use crate::http::Token;

/// The variables that hold a token.
const VARIABLES: &[&str] = &["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"];

/// Most bytes of the file of a token.
const LARGEST: u64 = 64 << 10;

/// Who the user is, as far as a token says.
#[derive(Clone, Debug, Default)]
pub struct Login {
    token: Option<Token>,
    /// Where the token is from.
    origin: Option<String>,
    /// A stored token that was not used.
    withheld: Option<Utf8PathBuf>,
    /// Whether the token came of an exchange, and so is valid for a short time.
    exchanged: bool,
}

impl Login {
    /// A login by a token that was given in exchange.
    pub(super) fn exchanged(token: Token, origin: String) -> Self {
        Self { token: Some(token), origin: Some(origin), withheld: None, exchanged: true }
    }

    /// Whether the token came of an exchange.
    pub(super) fn is_exchanged(&self) -> bool {
        self.exchanged
    }

    /// The login for a Hub; `get` answers the variables of the environment.
    pub fn find(get: &dyn Fn(&str) -> Option<String>, endpoint: &Endpoint) -> Result<Self, HubError> {
        for variable in VARIABLES {
            let Some(text) = get(variable).filter(|text| !text.is_empty()) else { continue };
            let origin = format!("`{variable}`");
            return Ok(Self { token: Some(token(&text, &origin)?), origin: Some(origin), ..Self::default() });
        }
        let refused = get("HF_HUB_DISABLE_IMPLICIT_TOKEN").is_some_and(|value| is_true(&value));
        let Some(path) = stored(get).filter(|_| !refused) else { return Ok(Self::default()) };
        let text = match read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Self::default());
            }
            Err(reason) => return Err(HubError::UnreadableToken { path, reason }),
        };
        if endpoint.is_public() {
            let origin = format!("`{path}`");
            return Ok(Self { token: Some(token(&text, &origin)?), origin: Some(origin), ..Self::default() });
        }
        Ok(Self { withheld: Some(path), ..Self::default() })
    }

    /// The token.
    pub fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// Where the token is from, for people.
    pub fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// A stored token that was not used, because the Hub is not the one it was stored for.
    pub fn withheld(&self) -> Option<&Utf8PathBuf> {
        self.withheld.as_ref()
    }
}

/// The token of a text; a text that is none is said to be, and never passed over: who gives a token wants no other login, and
/// not to be a stranger.
pub(super) fn token(text: &str, origin: &str) -> Result<Token, HubError> {
    if text.trim().is_empty() {
        return Err(HubError::Blank { origin: origin.to_owned() });
    }
    Token::new(text).ok_or_else(|| HubError::UnusableToken { origin: origin.to_owned() })
}

/// The file of a token: a pipe would be waited for, and a device has no end.
fn read(path: &Utf8Path) -> std::io::Result<Vec<u8>> {
    if !fs_err::metadata(path)?.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, format!("`{path}` is not a regular file")));
    }
    let mut bytes = Vec::new();
    fs_err::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        let reason = format!("`{path}` is larger than {} KiB, and a token is one word", LARGEST >> 10);
        return Err(Error::new(ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

fn stored(get: &dyn Fn(&str) -> Option<String>) -> Option<Utf8PathBuf> {
    let at = |variable: &str| get(variable).filter(|value| !value.is_empty()).map(Utf8PathBuf::from);
    at("HF_TOKEN_PATH")
        .or_else(|| at("HF_HOME").map(|home| home.join("token")))
        .or_else(|| at("XDG_CACHE_HOME").map(|cache| cache.join("huggingface/token")))
        .or_else(|| at("HOME").map(|home| home.join(".cache/huggingface/token")))
}

fn is_true(value: &str) -> bool {
    matches!(value.to_ascii_uppercase().as_str(), "1" | "ON" | "YES" | "TRUE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_in_order_and_stored_ones_stay_at_the_public_hub() {
        let home = tempfile::tempdir().expect("a home");
        let home = Utf8PathBuf::try_from(home.path().to_owned()).expect("UTF-8");
        fs_err::create_dir_all(home.join(".cache/huggingface")).expect("a directory");
        fs_err::write(home.join(".cache/huggingface/token"), "hf_stored\n").expect("a token");
        fs_err::write(home.join("other"), "hf_other").expect("a token");
        let other = home.join("other");
        let find = |variables: &[(&str, &str)], endpoint: &str| {
            let get = |name: &str| {
                let known = variables.iter().find(|(known, _)| *known == name);
                known.map(|(_, value)| (*value).to_owned()).or((name == "HOME").then(|| home.to_string()))
            };
            let endpoint = Endpoint::parse(Some(endpoint)).expect("an endpoint");
            let login = Login::find(&get, &endpoint).expect("a login");
            login.token().map(Token::authorization)
        };
        let bearer = |token: &str| Some(format!("Bearer {token}"));
        assert_eq!(find(&[], PUBLIC_HUB), bearer("hf_stored"));
        assert_eq!(find(&[("HF_TOKEN", "")], PUBLIC_HUB), bearer("hf_stored"));
        assert_eq!(find(&[("HF_TOKEN_PATH", other.as_str())], PUBLIC_HUB), bearer("hf_other"));
        assert_eq!(find(&[("HF_TOKEN", "hf_set")], "https://hub.example.org"), bearer("hf_set"));
        assert_eq!(find(&[("HUGGING_FACE_HUB_TOKEN", "hf_old")], PUBLIC_HUB), bearer("hf_old"));
        assert_eq!(find(&[("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")], PUBLIC_HUB), None);
        assert_eq!(find(&[], "https://hub.example.org"), None);
    }

    #[test]
    fn a_text_that_is_no_token_is_an_error() {
        let endpoint = Endpoint::parse(Some(PUBLIC_HUB)).expect("an endpoint");
        for text in [" ", "\n", "hf_a b", "hf_\u{fffd}", "hf_ä", "hf_a\nhf_b"] {
            let get = |name: &str| (name == "HF_TOKEN").then(|| text.to_owned());
            let error = Login::find(&get, &endpoint).expect_err("no token").to_string();
            assert!(error.contains("HF_TOKEN") && !error.contains("hf_"), "{error}");
        }
    }

    const PUBLIC_HUB: &str = "https://huggingface.co/";
}
