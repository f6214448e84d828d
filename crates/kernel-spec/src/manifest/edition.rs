//! Which edition a file is of. Only edition 5 says so itself; the others are known by what they have and lack.

use super::Edition;
use super::reader::{Reader, Section, describe};
use crate::code;

use toml::de::DeValue;

/// Keys that only the first two editions had, with the edition.
static HISTORIC: &[(&str, u8)] = &[("cuda-minver", 2), ("cuda-maxver", 2), ("universal", 2)];

/// The edition whose rules apply; `None` after a finding that makes every other one pointless.
pub(super) fn detect(reader: &mut Reader<'_>, root: &Section<'_>) -> Option<Edition> {
    let general = root.get("general").and_then(|value| value.get_ref().as_table());
    let Some(value) = general.and_then(|general| general.get("edition")) else {
        if reader.lost.may_hold("general", "edition") {
            // The newest rules refuse the least.
            return Some(Edition::Five);
        }
        return historic(reader, root).is_none().then_some(Edition::Four);
    };
    let place = value.span();
    let DeValue::Integer(integer) = value.get_ref() else {
        let message =
            format!("`general.edition` is {}, but the number 5 is expected", describe(value.get_ref()));
        reader.error(&code::manifest::EDITION, &place, message).help("write `edition = 5`");
        // The other faults are judged by the newest rules, as the author evidently meant some numbered edition.
        return Some(Edition::Five);
    };
    let number = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
    let help = match number {
        Some(5) => return Some(Edition::Five),
        Some(4) => "files of edition 4 have no `edition` key: remove it, or run `kernel-builder migrate`",
        Some(3) => "run `kernel-builder migrate --from 3`",
        Some(1 | 2) => "write the file anew as edition 5; `kernel-builder init` shows the form",
        Some(6..) => "use a newer kernel-builder, or write the file as edition 5",
        _ => "write `edition = 5`",
    };
    let shown = number.map_or_else(|| integer.as_str().to_owned(), |number| number.to_string());
    let message =
        format!("edition {shown} cannot be read; this program reads editions 4 (without a key) and 5");
    reader.error(&code::manifest::EDITION, &place, message).help(help);
    match number {
        Some(4) => Some(Edition::Four),
        _ => None,
    }
}

/// Recognises a file of edition 1 or 2 and says what has changed since.
fn historic(reader: &mut Reader<'_>, root: &Section<'_>) -> Option<u8> {
    let general = root.get("general").and_then(|value| value.get_ref().as_table())?;
    if general.contains_key("backends") {
        return None;
    }
    let in_general =
        HISTORIC.iter().find_map(|(key, edition)| Some((general.get_key_value(*key)?.0.span(), *edition)));
    let torch = root.get("torch").and_then(|value| value.get_ref().as_table());
    let in_torch = torch.and_then(|torch| torch.get_key_value("universal")).map(|(key, _)| (key.span(), 1));
    let kernels = root.get("kernel").and_then(|value| value.get_ref().as_table());
    let mut components = kernels.into_iter().flat_map(|kernels| kernels.values());
    let in_kernel = components.find_map(|component| {
        component.get_ref().as_table()?.get_key_value("language").map(|(key, _)| (key.span(), 1))
    });
    let (place, edition) = in_torch.or(in_kernel).or(in_general)?;
    let message = format!("the file is of edition {edition}, which is no longer read");
    let mut finding = reader.error(&code::manifest::EDITION, &place, message);
    finding.help(match edition {
        1 => "in `[general]` add `version`, `license`, `backends` and `edition = 5`; in each `[kernel.*]` replace \
              `language` by `backend`; a universal kernel has `[torch-noarch]` instead of `[torch]`",
        _ => "in `[general]` add `version`, `license`, `backends` and `edition = 5`; move `cuda-minver` and \
              `cuda-maxver` to `minver` and `maxver` of `[general.cuda]`; a universal kernel has `[torch-noarch]` \
              instead of `[torch]`",
    });
    Some(edition)
}
