//! What a panic says, for who has caught it.

use std::any::Any;

/// The message of a panic.
pub fn message(panic: &(dyn Any + Send)) -> &str {
    let known = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    known.unwrap_or("no message")
}
