//! The published loader loads what was uploaded.

use std::process::Command;

use super::*;
use crate::scene::python;

const LOAD: &str = r"
import sys
from kernels import get_kernel, has_kernel
assert has_kernel('acme/demo', version=1, backend='cpu')
assert get_kernel('acme/demo', version=1, backend='cpu').VALUE == 'one'
try:
    get_kernel('untrusted/demo', version=1, backend='cpu')
except Exception as error:
    assert 'trusted publisher' in str(error), error
else:
    raise AssertionError('nobody trusts this publisher')
assert get_kernel('untrusted/demo', version=1, backend='cpu', trust_remote_code=True).VALUE == 'one'
";

#[test]
#[expect(clippy::disallowed_methods, reason = "the loader is asked as a user would")]
fn the_real_loader_loads_what_was_uploaded() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    for repository in ["acme/demo", "untrusted/demo"] {
        let ran = scene.run(&["upload", "--repo-id", repository]);
        assert_eq!(ran.status, 0, "{ran}");
    }
    let ran = Command::new(python())
        .args(["-c", LOAD])
        .env("HF_ENDPOINT", hub.url())
        .env("HF_HOME", scene.path("cache"))
        .env("HF_HUB_DISABLE_XET", "1")
        .env("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        .output()
        .expect("Python starts");
    assert!(ran.status.success(), "{}\n{:#?}", String::from_utf8_lossy(&ran.stderr), hub.take_log());
}
