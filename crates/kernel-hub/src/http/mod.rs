//! The HTTP client: requests that are repeated while that is safe, answers of bounded size, downloads that are verified
//! and appear whole.
//!
//! ```no_run
//! use kernel_hub::http::{Client, Download, Settings};
//! # fn example(environment: &dyn Fn(&str) -> Option<String>) -> Result<(), kernel_hub::http::HttpError> {
//! let client = Client::new(Settings::from_environment(environment)?);
//! let archive = Download::new("https://example.org/archive.tar.xz", "cache/archive.tar.xz")
//!     .sha256([0; 32])
//!     .size(1 << 20);
//! client.download(&archive, &mut |done, total| println!("{done} of {total:?} bytes"))?;
//! # Ok(())
//! # }
//! ```
//!
//! Rules that hold for every request: plain http only on this machine; a token goes to the origin it was given for and
//! nowhere else, whatever a redirect says; no text that leaves this module holds a token or the query of a signed
//! address; nothing is waited for without end, and the caller can end everything at once.

mod address;
mod agent;
mod attempts;
mod client;
mod download;
mod error;
mod guard;
mod paced;
mod planned;
mod request;
mod response;
mod retry;
mod secrets;
mod settings;
mod token;
mod wire;

pub use address::Address;
pub use attempts::Attempts;
pub use client::Client;
pub use download::{Download, Downloaded};
pub use error::{HttpError, Problem};
pub use planned::{Pieces, Planned};
pub use request::{Body, Method, Request};
pub(crate) use response::short;
pub use response::{Headers, Response};
pub use retry::{Notice, Patience};
pub use settings::{CertificateFile, Proxy, Settings};
pub use token::Token;
