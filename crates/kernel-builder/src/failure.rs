//! A failure on its way to the output.

use kernel_core::failure::describe;
use kernel_spec::code;
use kernel_spec::report::Failure;
use miette::Diagnostic;

/// A failure; `?` makes it from every error of the libraries.
#[derive(Debug)]
pub(crate) struct Failed(pub(crate) Box<Failure>);

impl<E: Diagnostic + 'static> From<E> for Failed {
    fn from(error: E) -> Self {
        Failed(Box::new(describe(&error)))
    }
}

/// The failure of a panic: always our own fault, so it says what to send us and shows no place in our sources.
pub(crate) fn bug(message: String) -> Failure {
    let mut failure = Failure::new(&code::internal::BUG, "this is a fault of kernel-builder itself");
    failure.causes.push(message);
    failure
}
