//! A failure on its way to the output.

use kernel_core::context::Environment;
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

/// How a token of the Hub begins.
const TOKEN: &str = "hf_";

/// The failure of a panic: always our own fault, so it says what to send us and shows no place in our sources. What it
/// says may hold anything that the program knew, so credentials are taken out.
pub(crate) fn bug(message: &str, environment: &Environment) -> Failure {
    let mut failure = Failure::new(&code::internal::BUG, "this is a fault of kernel-builder itself");
    let mut message = message.to_owned();
    for secret in environment.secrets() {
        message = message.replace(secret, "[hidden]");
    }
    failure.causes.push(without_tokens(&message));
    failure
}

/// A text without tokens of the Hub that came from a file.
fn without_tokens(text: &str) -> String {
    let mut parts = text.split(TOKEN);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown.push_str("[hidden]");
        shown.push_str(part.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric()));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_shows_no_credential() {
        let variables = [("HF_TOKEN", "hf_abcdefgh"), ("MY_PASSWORD", "open sesame"), ("NAME", "relu")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let environment = Environment::new(variables);
        let failure = bug("relu: `Bearer hf_abcdefgh`, hf_Stored123, open sesame", &environment);
        assert_eq!(failure.causes, ["relu: `Bearer [hidden]`, [hidden], [hidden]"]);
    }
}
