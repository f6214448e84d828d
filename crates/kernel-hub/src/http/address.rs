//! Addresses: which may be asked at all, which share an origin, where a redirect leads, and how one is shown.

use ureq::http::Uri;
use ureq::http::uri::Authority;

use super::error::HttpError;

/// An address that may be asked: https anywhere, http on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Uri);

impl Address {
    /// Checks an address.
    pub fn parse(text: &str) -> Result<Self, HttpError> {
        let invalid = |reason: &str| HttpError::Address { address: shown(text), reason: reason.to_owned() };
        let uri: Uri = text.parse().map_err(|_| invalid("it is no address"))?;
        let authority = uri.authority().ok_or_else(|| invalid("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(invalid("it holds a name or a password"));
        }
        if !has_sound_port(authority) {
            return Err(invalid("its port is none"));
        }
        match uri.scheme_str() {
            Some("https") => Ok(Self(uri)),
            Some("http") if is_loopback(authority.host()) => Ok(Self(uri)),
            Some("http") => Err(HttpError::Insecure { address: shown(text) }),
            _ => Err(invalid("it is neither https nor http")),
        }
    }

    /// Whether it is asked with https.
    pub fn is_encrypted(&self) -> bool {
        self.0.scheme_str() == Some("https")
    }

    /// Its host.
    pub fn host(&self) -> &str {
        self.0.host().unwrap_or_default()
    }

    /// Whether both have scheme, host and port in common, so that a secret for one may go to the other.
    pub fn same_origin(&self, other: &Address) -> bool {
        self.origin() == other.origin()
    }

    fn origin(&self) -> (&str, String, u16) {
        let scheme = self.0.scheme_str().unwrap_or_default();
        let usual = if scheme == "https" { 443 } else { 80 };
        (scheme, self.host().to_ascii_lowercase(), self.0.port_u16().unwrap_or(usual))
    }

    /// Where a `Location` seen at this address leads (RFC 3986, section 5.2).
    pub(super) fn join(&self, location: &str) -> Result<Self, HttpError> {
        let location = location.split('#').next().unwrap_or_default();
        if has_scheme(location) {
            return Self::parse(location);
        }
        let scheme = self.0.scheme_str().unwrap_or_default();
        if location.starts_with("//") {
            return Self::parse(&format!("{scheme}:{location}"));
        }
        let authority = self.0.authority().map_or("", Authority::as_str);
        let (path, query) = location.split_at(location.find('?').unwrap_or(location.len()));
        let own = self.0.query().filter(|_| location.is_empty()).map(|query| format!("?{query}"));
        let folder = self.0.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = match path {
            "" => self.0.path().to_owned(),
            path if path.starts_with('/') => without_dots(path),
            path => without_dots(&format!("{folder}/{path}")),
        };
        Self::parse(&format!("{scheme}://{authority}{path}{query}{}", own.unwrap_or_default()))
    }

    /// The whole address, query included: for sending, never for showing.
    pub(super) fn uri(&self) -> &Uri {
        &self.0
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let whole = self.0.to_string();
        formatter.write_str(&shown(whole.split('?').next().unwrap_or_default()))
    }
}

/// An address without what may be secret in it: query, fragment, name and password. What is no address may have the name and the
/// password anywhere: all before the last `@` is hidden, and all behind it too where that may be of a query.
pub(super) fn shown(address: &str) -> String {
    let (told, query) = address.split_at(address.find(['?', '#']).unwrap_or(address.len()));
    if !address.contains('@') {
        return told.to_owned();
    }
    let is_scheme =
        |scheme: &&&str| told.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    let scheme = ["https://", "http://"].iter().find(is_scheme).copied().unwrap_or_default();
    let server = told.rsplit_once('@').map_or("", |(_, server)| server);
    format!("{scheme}[hidden]@{}", if query.contains('@') { "" } else { server })
}

/// Whether a host has a port behind it, or nothing.
pub(super) fn has_sound_port(authority: &Authority) -> bool {
    let text = authority.as_str();
    let server = text.rsplit_once('@').map_or(text, |(_, server)| server);
    let behind = server.strip_prefix(authority.host()).unwrap_or_default();
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    behind.is_empty() || behind.strip_prefix(':').is_some_and(is_port)
}

/// Whether a reference is an address of its own.
fn has_scheme(reference: &str) -> bool {
    let Some((scheme, _)) = reference.split_once(':') else { return false };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|one| one.is_ascii_alphanumeric() || "+-.".contains(one))
}

/// A path that begins with a slash, without `.` and `..` (RFC 3986, section 5.2.4).
fn without_dots(path: &str) -> String {
    let mut kept = Vec::new();
    let mut is_folder = false;
    for part in path.split('/').skip(1) {
        is_folder = matches!(part, "." | "..");
        match part {
            "." => {}
            ".." => {
                kept.pop();
            }
            part => kept.push(part),
        }
    }
    if is_folder {
        kept.push("");
    }
    format!("/{}", kept.join("/"))
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_may_be_asked_without_encryption() {
        for good in ["https://example.org/a", "http://127.0.0.1:80/", "http://localhost/x", "http://[::1]:9/"]
        {
            assert!(Address::parse(good).is_ok(), "{good}");
        }
        for bad in ["http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:/", "http://[::1]:x/"]
        {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
        for bad in ["http://example.org", "http://localhost.example.org/", "ftp://x/", "/a", "https://u:p@x/"]
        {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn redirects_are_resolved_and_secrets_are_not_shown() {
        let base = Address::parse("https://example.org/a/b?c").expect("an address");
        let joined = |location: &str| base.join(location).map(|address| address.uri().to_string());
        assert_eq!(joined("d?e").ok().as_deref(), Some("https://example.org/a/d?e"));
        assert_eq!(joined("/d").ok().as_deref(), Some("https://example.org/d"));
        assert_eq!(joined("//other.org/d").ok().as_deref(), Some("https://other.org/d"));
        assert!(joined("http://other.org/").is_err());
        for (location, leads) in [
            ("/d?u=https://x/y", "/d?u=https://x/y"),
            ("d?u=https://x/y", "/a/d?u=https://x/y"),
            ("?d", "/a/b?d"),
            ("", "/a/b?c"),
            ("#f", "/a/b?c"),
            ("../d", "/d"),
            ("../../../d/./e/..", "/d/"),
            ("./", "/a/"),
            ("/../a/../d?..", "/d?.."),
        ] {
            let leads = format!("https://example.org{leads}");
            assert_eq!(joined(location).ok(), Some(leads), "{location}");
        }
    }

    #[test]
    fn no_form_of_an_address_shows_what_may_be_secret() {
        assert_eq!(shown("https://example.org/a?X-Signature=1#f"), "https://example.org/a");
        assert_eq!(shown("https://u:p@example.org/a?X-Signature=1#f"), "https://[hidden]@example.org/a");
        for form in [
            "user:SECRET@host",
            "http:user:SECRET@host",
            "https:/user:SECRET@host",
            "//user:SECRET@host",
            "HTTPS://user:SECRET@host",
            "https//user:SECRET@host",
            "https://user:SEC/SECRET@host",
            "https://user:SECRET@more@host",
            "https://user:SE?SECRET@host",
            "https://user:SE#SECRET@host",
            "https://host:x/?signature=a@SECRET",
            "SECRET://user:SECRET@host",
            "http://host/SECRET\\@host",
        ] {
            let told = shown(form);
            assert!(!told.contains("SE") && told.contains("[hidden]@"), "{form}: {told}");
            if let Err(error) = Address::parse(form) {
                assert!(!error.to_string().contains("SE"), "{form}: {error}");
            }
        }
        let signed = Address::parse("https://host/a?signature=a@b").expect("an address");
        assert_eq!(signed.to_string(), "https://host/a");
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let same = |one: &str, other: &str| {
            let parse = |text: &str| Address::parse(text).expect("an address");
            parse(one).same_origin(&parse(other))
        };
        assert!(same("https://example.org/a", "https://EXAMPLE.org:443/b"));
        assert!(!same("http://localhost/", "http://127.0.0.1/"));
        assert!(!same("http://localhost:1/", "http://localhost:2/"));
        assert!(!same("https://localhost/", "http://localhost/"));
    }
}
