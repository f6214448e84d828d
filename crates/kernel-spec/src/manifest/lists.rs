//! The lists that frameworks and components share: sources, include directories, extensions, architectures.

use std::collections::BTreeMap;

use super::reader::{Reader, Section};
use crate::capability::Capability;
use crate::gpu::{CUDA, GFX, cuda_architecture, is_known, is_known_gfx, looks_like_toolkit};
use crate::path::{PathFault, confined};
use crate::suggest::{closest, listed};
use crate::{Located, code};

/// `src`: normalised paths, each once; a repetition is a warning with both places.
pub(super) fn sources(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<Located<String>> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut sources: Vec<Located<String>> = Vec::new();
    for source in paths(reader, section, "src") {
        if let Some(first) = seen.get(&source.value) {
            let first = reader.span(&sources[*first].bytes);
            let message = format!("source `{}` is listed twice in {}", source.value, section.title());
            let mut finding = reader.warning(&code::manifest::REPEATED, &source.bytes, message);
            finding.help("remove the second one; it is compiled once either way");
            finding.also(first, "first listed here");
        } else {
            seen.insert(source.value.clone(), sources.len());
            sources.push(source);
        }
    }
    sources
}

/// `include`: normalised directories.
pub(super) fn includes(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<Located<String>> {
    paths(reader, section, "include")
}

fn paths(reader: &mut Reader<'_>, section: &Section<'_>, key: &str) -> Vec<Located<String>> {
    let texts = reader.texts(section, key).unwrap_or_default();
    let mut paths = Vec::with_capacity(texts.len());
    for text in texts {
        match confined(&text) {
            Ok(path) => paths.push(Located::new(path, text.bytes)),
            Err(fault) => wrong_path(reader, section, key, &text, fault),
        }
    }
    paths
}

fn wrong_path(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    key: &str,
    text: &Located<String>,
    fault: PathFault,
) {
    let shown = text.value.escape_debug();
    let message = format!("`{shown}` in `{}` is no path within the project: {fault}", section.dotted(key));
    let help = match fault {
        PathFault::Empty => "remove it, or write `.` for the project's own directory".to_owned(),
        PathFault::Backslash => format!("write `{}`", text.value.replace('\\', "/")),
        PathFault::Absolute | PathFault::Escapes => {
            "copy what is needed into the project and list it from there".to_owned()
        }
        PathFault::Control | PathFault::Option | PathFault::Bar => "rename the file".to_owned(),
    };
    reader.error(&code::manifest::PATH, &text.bytes, message).help(help);
}

/// `pyext`: file extensions without the dot.
pub(super) fn extensions(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<Vec<Located<String>>> {
    let extensions = reader.texts(section, "pyext")?;
    for extension in &extensions {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
        if extension.is_empty() || extension.starts_with('.') || !extension.chars().all(plain) {
            let message = format!("`{}` in `pyext` is no file extension", extension.value.escape_debug());
            let bare = extension.trim_start_matches('.');
            let mut finding = reader.warning(&code::manifest::EXTENSION, &extension.bytes, message);
            if !bare.is_empty() && bare.chars().all(plain) {
                finding.help(format!("write it without the dot: `{bare}`"));
            }
        }
    }
    Some(extensions)
}

/// Warns about compute capabilities that no GPU has; a list with no other is an error, for nothing could be compiled.
pub(super) fn check_capabilities(reader: &mut Reader<'_>, capabilities: &[Located<String>]) {
    let exists = |text: &Located<String>| text.parse::<Capability>().is_ok_and(is_known);
    let any_known = capabilities.iter().any(exists);
    for text in capabilities.iter().filter(|text| !exists(text)) {
        let (message, help) = unknown_capability(text);
        let place = &text.bytes;
        let mut finding = if any_known {
            reader.warning(&code::manifest::CAPABILITY, place, message)
        } else {
            reader.error(&code::manifest::CAPABILITY, place, message)
        };
        finding.help(help);
    }
}

fn unknown_capability(text: &str) -> (String, String) {
    let known = CUDA.iter().map(|row| row.capability.to_string()).collect::<Vec<_>>();
    let known = listed(known.iter().map(String::as_str));
    let capability = match text.parse::<Capability>() {
        Ok(capability) => capability,
        Err(error) => {
            let help = meant_capability(text).map_or_else(
                || format!("write one of {known}, with `a`, `f` or `+PTX` behind it where wanted"),
                |meant| format!("did you mean `{meant}`?"),
            );
            return (error.to_string(), help);
        }
    };
    if looks_like_toolkit(capability) {
        return (
            format!("no GPU has compute capability `{text}`; it looks like a CUDA version"),
            "if a minimum toolkit was meant, write `cuda-minver` in the component; remove it from this list"
                .to_owned(),
        );
    }
    if cuda_architecture(capability).is_some() {
        let plain = Capability { feature: None, ..capability };
        return (
            format!("compute capability `{text}` has a suffix that means nothing for it"),
            format!("write `{plain}`"),
        );
    }
    (format!("no GPU has compute capability `{text}`"), format!("there are {known}"))
}

/// What `sm_90a`, `90a`, `compute_80` or `8.0 ` mean.
fn meant_capability(text: &str) -> Option<Capability> {
    let lowered = text.trim().to_lowercase();
    let bare = lowered.trim_start_matches("sm_").trim_start_matches("compute_").replace("+ptx", "+PTX");
    let end = bare.find(|c: char| !c.is_ascii_digit()).unwrap_or(bare.len());
    let dotted = if end >= 2 { format!("{}.{}", &bare[..end - 1], &bare[end - 1..]) } else { bare.clone() };
    [bare, dotted].iter().filter_map(|text| text.parse::<Capability>().ok()).find(|meant| is_known(*meant))
}

/// Warns about gfx targets that no GPU has; a list with no other is an error.
pub(super) fn check_gfx(reader: &mut Reader<'_>, targets: &[Located<String>]) {
    let any_known = targets.iter().any(|target| is_known_gfx(target));
    for target in targets.iter().filter(|target| !is_known_gfx(target)) {
        let message = format!("`{}` is no gfx target that is known", target.value.escape_debug());
        let help = match closest(target, GFX.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", listed(GFX.iter().copied())),
        };
        let mut finding = if any_known {
            reader.warning(&code::manifest::CAPABILITY, &target.bytes, message)
        } else {
            reader.error(&code::manifest::CAPABILITY, &target.bytes, message)
        };
        finding.help(help);
    }
}
