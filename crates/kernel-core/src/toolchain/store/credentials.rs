//! Who asks a private index: uv takes the names and passwords in its variables for itself and leaves them out of what it
//! answers, so that they have to be found again for the addresses of the wheels.

use kernel_hub::http::{Address, Token};
use percent_encoding::percent_decode_str;

use crate::context::Environment;

/// uv's variables that hold addresses of indexes, perhaps several, each perhaps behind its name.
static INDEXES: &[&str] = &["UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL"];

/// The credentials of the index that an address belongs to, by its scheme, host and port.
pub(super) fn of(environment: &Environment, address: &str) -> Option<Token> {
    let wanted = Address::parse(address).ok()?;
    let listed = INDEXES.iter().filter_map(|name| environment.get(name));
    listed.flat_map(str::split_whitespace).find_map(|index| {
        let url =
            index.split_once('=').filter(|(name, _)| !name.contains("://")).map_or(index, |(_, url)| url);
        let (scheme, rest) = url.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next()?;
        let (user, host) =
            authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
        if !Address::parse(&format!("{scheme}://{host}/")).ok()?.same_origin(&wanted) {
            return None;
        }
        let decoded =
            |text: &str| percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned);
        let (user, password) = user.map(|user| user.split_once(':').unwrap_or((user, "")))?;
        Some(Token::basic(&decoded(user)?, &decoded(password)?))
    })
}
