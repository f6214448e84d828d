//! Names that could be taken for others. Whoever cannot write to a known publisher's repository can register a name beside
//! it, and a signature there is as sound as any.

use kernel_spec::suggest::imitates;
use kernel_spec::{Finding, code};
use kernel_trust::Policy;

use crate::trust::seen;
use crate::{Context, Result};

/// Publishers whom everybody knows; others are known once something of theirs was verified.
const PUBLISHERS: [&str; 1] = ["kernels-community"];

/// What there is to say of an owner's name; nothing where it is known itself, by what was seen or by a policy.
pub(super) fn look_alike(context: &Context, owner: &str, policies: &[Policy]) -> Result<Option<Finding>> {
    let mut known = seen::owners(context)?;
    known.extend(PUBLISHERS.map(str::to_owned));
    if known.contains(owner) || policies.iter().any(|policy| policy.names_owner(owner)) {
        return Ok(None);
    }
    let original = known.iter().find(|known| imitates(owner, known));
    Ok(original.map(|original| {
        let message = format!("the publisher `{owner}` could be taken for `{original}`, and is another");
        Finding::error(&code::trust::LOOK_ALIKE, message)
    }))
}
