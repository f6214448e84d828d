//! How deep the parts of a file lie in one another. Whoever walks a tree of them goes as deep as it does, so a file that is
//! nested beyond all that people write is refused before it is parsed.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;

/// Python itself refuses about three times as much.
const MOST: usize = 1000;

/// Steps of a walk for one block.
const BLOCK: usize = 3;

/// How many brackets and blocks Python itself opens in one another (`MAXLEVEL` and `MAXINDENT` of its tokenizer).
const BRACKETS: usize = 200;
const BLOCKS: usize = 99;

/// Whether a file is nested too deeply. Every token that may put one part into another counts, until the next part of the
/// same list begins.
pub(super) fn is_excessive(text: &str) -> bool {
    let mut lexer = lex(text, Mode::Module);
    let mut levels = vec![Level::default()];
    let (mut outer, mut blocks) = (0, 0_usize);
    loop {
        let token = lexer.next_token();
        let Some(level) = levels.last_mut() else { return true };
        match token {
            TokenKind::EndOfFile => return false,
            TokenKind::Indent => blocks += 1,
            TokenKind::Dedent => blocks = blocks.saturating_sub(1),
            TokenKind::Newline => {
                levels.clear();
                levels.push(Level::default());
                outer = 0;
            }
            TokenKind::Comma => level.chain = 0,
            TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart => {
                level.chain += 1;
                outer += level.sum();
                levels.push(Level::default());
            }
            TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd => {
                if levels.len() > 1 {
                    levels.pop();
                    outer -= levels.last().map_or(0, Level::sum);
                }
            }
            // Commas separate their parameters, too.
            TokenKind::Lambda => level.lambdas += 1,
            TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Complex
            | TokenKind::String
            | TokenKind::FStringMiddle
            | TokenKind::TStringMiddle
            | TokenKind::Comment
            | TokenKind::NonLogicalNewline => {}
            _ => level.chain += 1,
        }
        let steps = outer + levels.last().map_or(0, Level::sum) + BLOCK * blocks;
        if steps > MOST || levels.len() > BRACKETS + 1 || blocks > BLOCKS {
            return true;
        }
    }
}

/// What was counted between two brackets.
#[derive(Default)]
struct Level {
    chain: usize,
    lambdas: usize,
}

impl Level {
    fn sum(&self) -> usize {
        self.chain + self.lambdas
    }
}
