//! How large files are, as far as that decides what it costs to look at them: by tokens, because one letter may be a part of a
//! program of its own, and a page of documentation is one part.

use kernel_spec::Finding;
use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;

use super::PythonSource;
use crate::bounds;

/// The tokens of a text, counted no further than one beyond the bound.
pub(super) fn tokens(text: &str) -> usize {
    let mut lexer = lex(text, Mode::Module);
    let all = std::iter::from_fn(|| Some(lexer.next_token()).filter(|token| *token != TokenKind::EndOfFile));
    all.take(bounds::TOKENS + 1).count()
}

/// That a file was not looked at.
pub(super) fn too_large(path: &str, reason: String) -> Finding {
    let message = format!("`{path}` is too large, and was not looked at");
    let about = Subject { file: Some(path.to_owned()), ..Subject::default() };
    Finding::warning(&python::TOO_LARGE, message).cause(reason).about(about)
}

/// How much more may be held together.
pub struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(bounds::TOKENS_TOGETHER)
    }
}

impl Budget {
    /// A file where there is room for it, else that it was not looked at.
    pub fn take(&mut self, source: PythonSource) -> Result<PythonSource, Box<Finding>> {
        if let Some(left) = self.0.checked_sub(source.tokens) {
            self.0 = left;
            return Ok(source);
        }
        let most = bounds::TOKENS_TOGETHER;
        let reason = format!("it and the files before it have more than {most} tokens together");
        Err(Box::new(too_large(source.path(), reason)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_too_much_is_not_looked_at() {
        let parse = |text: &str| PythonSource::parse("a.py", text.as_bytes());
        let fits = format!("x = [{}]\n", "1,".repeat(bounds::TOKENS / 2 - 10));
        let mut budget = Budget::default();
        let together = bounds::TOKENS_TOGETHER / bounds::TOKENS;
        for _ in 0..together {
            assert!(budget.take(parse(&fits).expect("it fits")).is_ok());
        }
        let refused = budget.take(parse(&fits).expect("it fits")).expect_err("no room");
        assert_eq!(refused.code.id, "python/too-large");
        for text in [format!("x = [{}]\n", "1,".repeat(bounds::TOKENS / 2)), "#".repeat((1 << 20) + 1)] {
            assert_eq!(parse(&text).expect_err("too large").code.id, "python/too-large");
        }
        let documented = format!("\"\"\"{}\"\"\"\n", "word ".repeat(200_000));
        assert_eq!(parse(&documented).expect("it fits").tokens, 2);
    }
}
