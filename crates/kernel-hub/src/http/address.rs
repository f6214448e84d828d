//! Addresses: which may be asked at all, which share an origin, where a redirect leads, and how one is shown.

use ureq::http::Uri;

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
        let behind = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
        let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
        if !behind.is_empty() && !behind.strip_prefix(':').is_some_and(is_port) {
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

    /// Where a `Location` seen at this address leads.
    pub(super) fn join(&self, location: &str) -> Result<Self, HttpError> {
        if location.contains("://") {
            return Self::parse(location);
        }
        let scheme = self.0.scheme_str().unwrap_or_default();
        if location.starts_with("//") {
            return Self::parse(&format!("{scheme}:{location}"));
        }
        let authority = self.0.authority().map_or("", ureq::http::uri::Authority::as_str);
        let path = if location.starts_with('/') {
            location.to_owned()
        } else {
            let folder = self.0.path().rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{folder}/{location}")
        };
        Self::parse(&format!("{scheme}://{authority}{path}"))
    }

    /// The whole address, query included: for sending, never for showing.
    pub(super) fn uri(&self) -> &Uri {
        &self.0
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&shown(&self.0.to_string()))
    }
}

/// An address without what may be secret in it: query, fragment, name and password.
pub(super) fn shown(address: &str) -> String {
    let end = address.find(['?', '#']).unwrap_or(address.len());
    let address = &address[..end];
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{path}")
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
        assert_eq!(shown("https://u:p@example.org/a?X-Signature=1#f"), "https://example.org/a");
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
