//! What Nix's own words mean here, where it stops before anything is built. Its words always stay, as the causes.

use kernel_spec::error::Faults;
use kernel_spec::{Code, Finding, code};

/// Words of Nix (2.26 to 2.34, and of our own steps) and what they are a sign of.
static SIGNS: &[(&str, &Code)] = &[
    ("this derivation is not confined", &code::nix::UNCONFINED),
    ("cannot connect to socket", &code::nix::DAEMON),
    ("cannot connect to daemon", &code::nix::DAEMON),
    ("experimental Nix feature", &code::nix::DISABLED),
    ("unrecognised flag", &code::nix::DISABLED),
    ("is not a recognised command", &code::nix::DISABLED),
    ("No space left on device", &code::nix::DISK_FULL),
    ("unable to download", &code::nix::FETCH),
    ("Permission denied", &code::nix::STORE),
    ("Read-only file system", &code::nix::STORE),
];

/// The refusal that Nix's words tell of; `built` says whether it came as far as building something.
pub(super) fn recognise(words: &[String], built: bool) -> Option<Faults> {
    let sign = SIGNS.iter().find(|(sign, _)| words.iter().any(|word| word.contains(sign)));
    let code = match sign {
        Some((_, code)) => code,
        None if built => return None,
        None => &code::nix::EVALUATION,
    };
    let mut fault = Finding::error(code, code.meaning);
    for word in words {
        fault = fault.cause(word.trim().to_owned());
    }
    Some(Faults::new(code, "Nix did not build", vec![fault]))
}
