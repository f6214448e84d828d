//! Names that patterns of `match` bind.

use ruff_python_ast::{Identifier, Pattern};

/// The name that a pattern itself binds, without those in it.
pub(super) fn captured(pattern: &Pattern) -> Option<&Identifier> {
    match pattern {
        Pattern::MatchAs(capture) => capture.name.as_ref(),
        Pattern::MatchStar(capture) => capture.name.as_ref(),
        Pattern::MatchMapping(mapping) => mapping.rest.as_ref(),
        _ => None,
    }
}
