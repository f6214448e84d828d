//! What was answered.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use super::address::{Address, shown};
use super::error::{HttpError, Problem};
use super::secrets::Finder;

/// Headers by their lower-case name; of several with one name the first.
#[derive(Clone, Debug, Default)]
pub struct Headers(BTreeMap<String, String>);

impl Headers {
    /// The value of a header, by its lower-case name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

impl FromIterator<(String, String)> for Headers {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        let mut headers = BTreeMap::new();
        for (name, value) in pairs {
            headers.entry(name).or_insert(value);
        }
        Self(headers)
    }
}

/// An answer with any status; its body is within the request's limit.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: Headers,
    /// The body.
    pub body: Vec<u8>,
    /// Where it came from, after redirects.
    pub address: Address,
    /// Finds secrets in what it says.
    pub(super) finder: Finder,
}

impl Response {
    /// Whether the server did what was asked.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The answer where it is a success; else the server's problem as an error.
    pub fn success(self) -> Result<Self, HttpError> {
        if self.is_success() { Ok(self) } else { Err(HttpError::from_problem(self.problem())) }
    }

    /// The body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, HttpError> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            let reason = match error.classify() {
                serde_json::error::Category::Data => {
                    format!("it is JSON, but not of the expected form ({place})")
                }
                _ => format!("it is no JSON ({place})"),
            };
            HttpError::Answer { address: self.address.to_string(), reason }
        })
    }

    /// What the server says is wrong, in its own words.
    pub fn problem(&self) -> Problem {
        let short = |text: &str| self.finder.told(&short(text));
        let said = |name: &str| self.headers.get(name).map(short);
        let from_body = || {
            let body: serde_json::Value = serde_json::from_slice(&self.body).ok()?;
            // The longest of what there is: an OAuth service has a short code in `error`.
            let names = ["error_description", "error", "message"];
            let message = names.iter().find_map(|name| body.get(name))?;
            message.as_str().map(short)
        };
        let text = String::from_utf8_lossy(&self.body);
        let element = |name: &str| element(&text, name).map(|text| short(&text));
        Problem {
            address: self.finder.told(&self.address.to_string()),
            status: self.status,
            code: said("x-error-code").or_else(|| element("Code")),
            message: self
                .redirect()
                .or_else(from_body)
                .or_else(|| said("x-error-message"))
                .or_else(|| element("Message")),
            request: said("x-request-id")
                .or_else(|| said("x-amz-request-id"))
                .or_else(|| element("RequestId")),
        }
    }

    /// What a redirect means that is not followed, because what was asked would change something.
    fn redirect(&self) -> Option<String> {
        let location = self.headers.get("location").filter(|_| (300..400).contains(&self.status))?;
        let place = self.address.join(location).map_or_else(|_| shown(location), |place| place.to_string());
        let place = self.finder.told(&short(&place));
        Some(format!("it sends on to `{place}`, and this is sent to no other address"))
    }
}

/// The text of an element of an XML document about an error, as the stores behind Hubs word their refusals.
fn element(document: &str, name: &str) -> Option<String> {
    let (_, inside) = document.split_once("<Error>")?;
    let (_, rest) = inside.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once(&format!("</{name}>"))?;
    let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    let text =
        plain.iter().fold(text.to_owned(), |text, (escape, character)| text.replace(escape, character));
    Some(text)
}

/// A server's text may be long, and have line breaks: it is told in one line.
pub(crate) fn short(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(500).collect()
}
