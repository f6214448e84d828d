//! Which variants a build is for: those named, else those that this machine can build and load.

use std::collections::BTreeSet;

use kernel_spec::manifest::Manifest;
use kernel_spec::matrix::{HostOffers, closest, host_variants_of, variants_of};
use kernel_spec::variant::Variant;
use miette::Diagnostic;
use thiserror::Error;

use crate::Context;
use crate::plan::dependencies;
use crate::toolchain::parts::{self, Machine};

/// Which variants are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Those that this machine can build and load.
    Loadable,
    /// Everything of the project that this machine can build.
    Buildable,
    /// These, by name.
    Named(Vec<String>),
}

/// Why no variant was chosen.
#[derive(Debug, Error, Diagnostic)]
pub enum ChoiceError {
    /// The project has no such variant.
    #[error("no variant `{name}` for `{kernel}`")]
    #[diagnostic(code("variant/unknown"), help("run `kernel-builder variants` to list them{closest}"))]
    Unknown {
        /// As it was asked for.
        name: String,
        /// The kernel.
        kernel: String,
        /// The names nearest to it, as the end of a sentence.
        closest: String,
        /// What is wrong with the name, where it is none.
        #[source]
        reason: Option<Box<kernel_spec::variant::VariantError>>,
    },
    /// Nothing of it can be built and loaded here.
    #[error("this machine can build no such variant of `{kernel}`: {reasons}")]
    #[diagnostic(
        code("variant/none-here"),
        help(
            "activate the environment that has what is missing (`VIRTUAL_ENV`), or name its Python with `--python`; `kernel-builder doctor` says what is here, and `--variant` names a variant to build all the same"
        )
    )]
    NoneHere {
        /// The kernel.
        kernel: String,
        /// One reason for each backend.
        reasons: String,
    },
}

/// The variants, in the order asked for.
pub(crate) fn variants(
    context: &Context,
    manifest: &Manifest,
    machine: &Machine,
    wanted: &Wanted,
) -> Result<Vec<Variant>, ChoiceError> {
    let matrix = machine.matrix;
    let here = host_variants_of(manifest, matrix, machine.python.machine());
    let known = || {
        let offers = variants_of(manifest, matrix);
        offers.iter().chain(&here.offers).map(|offer| offer.variant).collect::<BTreeSet<Variant>>()
    };
    let names = match wanted {
        Wanted::Loadable => return all_here(manifest, &here),
        Wanted::Buildable => return buildable(context, manifest, known(), machine),
        Wanted::Named(names) => names,
    };
    let known = known();
    let mut chosen = Vec::new();
    for name in names {
        let variant = find(manifest, &known, name)?;
        if !chosen.contains(&variant) {
            chosen.push(variant);
        }
    }
    Ok(chosen)
}

fn all_here(manifest: &Manifest, here: &HostOffers) -> Result<Vec<Variant>, ChoiceError> {
    let offered: Vec<Variant> = here.offers.iter().map(|offer| offer.variant).collect();
    if offered.is_empty() {
        let refusals = here.refusals.iter();
        let reasons = refusals.map(|refusal| format!("{}: {}", refusal.backend, refusal.reason));
        return Err(none_here(manifest, reasons));
    }
    Ok(offered)
}

fn buildable(
    context: &Context,
    manifest: &Manifest,
    known: BTreeSet<Variant>,
    machine: &Machine,
) -> Result<Vec<Variant>, ChoiceError> {
    let mut buildable = Vec::new();
    let mut reasons = BTreeSet::new();
    for variant in known {
        match variant
            .arch()
            .map_or(Ok(()), |arch| parts::require(context, arch, &dependencies::of(manifest, arch), machine))
        {
            Ok(()) => buildable.push(variant),
            Err(reason) => drop(reasons.insert(reason.to_string())),
        }
    }
    if buildable.is_empty() {
        return Err(none_here(manifest, reasons));
    }
    Ok(buildable)
}

fn none_here(manifest: &Manifest, reasons: impl IntoIterator<Item = String>) -> ChoiceError {
    let kernel = manifest.general.name.value.to_string();
    ChoiceError::NoneHere { kernel, reasons: Vec::from_iter(reasons).join("; ") }
}

fn find(manifest: &Manifest, known: &BTreeSet<Variant>, name: &str) -> Result<Variant, ChoiceError> {
    let parsed = name.parse::<Variant>();
    if let Ok(variant) = &parsed
        && known.contains(variant)
    {
        return Ok(*variant);
    }
    let near: Vec<String> =
        closest(name, known.iter().copied()).into_iter().map(|variant| format!("`{variant}`")).collect();
    Err(ChoiceError::Unknown {
        name: name.to_owned(),
        kernel: manifest.general.name.value.to_string(),
        closest: if near.is_empty() { String::new() } else { format!("; closest: {}", near.join(", ")) },
        reason: parsed.err().map(Box::new),
    })
}
