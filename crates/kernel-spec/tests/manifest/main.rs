//! The manifest's parser as its users see it: texts in, findings and values out.

#![allow(clippy::disallowed_methods, reason = "tests find their data through the environment")]

mod faults;
mod real;
