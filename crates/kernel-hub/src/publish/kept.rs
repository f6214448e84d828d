//! Whether a branch is what an answer said: it is looked at, and not believed.

use super::difference::difference;
use super::wanted::Wanted;
use crate::http::Attempts;
use crate::hub::{Hub, HubError, Repository};

/// How often a branch is looked at that does not show yet what was done: a Hub may answer from copies.
pub(super) const LOOKS: u32 = 3;

/// Looks whether a branch that was made at `head` is there, and still holds what is wanted where somebody went on from it.
pub fn confirm_branch(
    hub: &Hub,
    repository: &Repository,
    branch: &str,
    head: &str,
    wanted: &Wanted,
) -> Result<(), HubError> {
    let mut attempts = Attempts::new(hub.client(), &hub.endpoint().to_string())?;
    for look in 1.. {
        match hub.refs(repository, false)?.branches.get(branch) {
            Some(there) if there == head => return Ok(()),
            Some(there) if difference(wanted, &hub.tree(repository, there, "")?).is_empty() => return Ok(()),
            _ => {}
        }
        let end = HubError::NotKept { branch: branch.to_owned(), repository: repository.id() };
        if look == LOOKS {
            return Err(end);
        }
        attempts.wait_after(&end.to_string(), end)?;
    }
    Ok(())
}
