//! A copy of exactly the inputs, for builders that must not see anything else.

use std::os::unix::fs::PermissionsExt;

use camino::Utf8Path;

use super::Inputs;
use crate::Result;

impl Inputs {
    /// Copies the inputs into `into`, which must be empty or absent. Links become the files they mean, and every file
    /// gets the same mode, so that the copy depends on contents alone.
    pub fn stage(&self, project: &Utf8Path, into: &Utf8Path) -> Result<()> {
        fs_err::create_dir_all(into)?;
        for path in self.files.keys() {
            let target = into.join(path);
            if let Some(directory) = target.parent() {
                fs_err::create_dir_all(directory)?;
            }
            // A copy over a link would write through it.
            let mut copy = fs_err::OpenOptions::new().write(true).create_new(true).open(&target)?;
            std::io::copy(&mut fs_err::File::open(project.join(path))?, &mut copy)?;
            fs_err::set_permissions(&target, PermissionsExt::from_mode(0o644))?;
        }
        Ok(())
    }
}
