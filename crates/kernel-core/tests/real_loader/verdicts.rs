//! What the judge says beside what the loader does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use camino::Utf8PathBuf;
use kernel_abi::{Image, entry_point};
use kernel_core::check::built::{self, Manylinux, Overrides};
use kernel_spec::code::abi;
use kernel_spec::{Finding, Severity};

use super::explained::{REFUSED, UNSEEN};
use super::fields::fields;
use super::fixture::{ENTRY, Fixture, KINDS, Kind, VARIANT};
use super::loader::{Outcome, load};
use super::mutants::{Mutant, all, some};

/// What the judge holds against a library that lies in the fixture's place. It may be for the newest systems: how new this
/// machine's compiler is does not matter.
fn judge(fixture: &Fixture, bytes: &[u8]) -> Vec<String> {
    let path = Utf8PathBuf::from_path_buf(fixture.judged()).unwrap();
    fs_err::write(&path, bytes).unwrap();
    let overrides = Overrides { manylinux: Manylinux::all().last(), ..Overrides::default() };
    let mut findings = built::check_file(&path, &overrides);
    if let Ok(image) = Image::parse(&bytes) {
        let policy = built::policy(VARIANT, &image, &overrides);
        findings.extend(entry_point(ENTRY.strip_prefix("PyInit_").unwrap(), &image, &policy));
    }
    // A program alone is judged as one, and as the library of a variant it is an error.
    let is_error =
        |finding: &&Finding| finding.severity == Severity::Error || *finding.code == abi::NOT_SHARED;
    let errors = findings.iter().filter(is_error);
    errors
        .map(|error| {
            format!(
                "{} {}: {}",
                error.code,
                error.message.replace(path.as_str(), "it"),
                error.causes.join("; ").replace(path.as_str(), "")
            )
        })
        .collect()
}

/// What a comparison saw.
#[derive(Default)]
struct Seen {
    mutants: usize,
    /// How many were not fit for the loader, by kind of field; then those of them that the judge takes, known and new ones.
    bad: BTreeMap<String, usize>,
    known: BTreeMap<&'static str, usize>,
    unseen: BTreeMap<String, Vec<String>>,
    /// How many work and are refused all the same.
    works: usize,
    /// Those of them that nothing explains, by what the judge says.
    refused: BTreeMap<String, Vec<String>>,
    used: BTreeSet<&'static str>,
}

impl Seen {
    fn compare(&mut self, fixture: &Fixture, mutants: &[Mutant]) {
        for (mutant, loaded) in mutants.iter().zip(load(fixture, mutants)) {
            let Mutant { field, old, new } = mutant;
            let said = judge(fixture, &mutant.apply(&fixture.bytes));
            let name = fixture.kind.name;
            let change = format!("{name}@{:#x} {old:#x} -> {new:#x}, {}", field.at, loaded.detail);
            self.mutants += 1;
            *self.bad.entry(field.kind.clone()).or_default() += usize::from(loaded.outcome != Outcome::Fine);
            match (loaded.outcome, said.first()) {
                (Outcome::Fine, Some(first)) => {
                    self.works += 1;
                    let reason = |said: &String| REFUSED.iter().find(|(words, _)| said.contains(words));
                    match said.iter().find(|said| reason(said).is_none()) {
                        Some(said) => self
                            .refused
                            .entry(said.clone())
                            .or_default()
                            .push(format!("{} {change}", field.kind)),
                        None => self.used.extend(reason(first).map(|(words, _)| *words)),
                    }
                }
                (Outcome::NotLoaded | Outcome::Wrong, None) => {
                    let kind = format!("{:?} {}", loaded.outcome, field.kind);
                    match UNSEEN.iter().find(|(kind, ..)| *kind == field.kind) {
                        Some((kind, ..)) => *self.known.entry(kind).or_default() += 1,
                        None => self.unseen.entry(kind).or_default().push(change),
                    }
                }
                _ => {}
            }
        }
    }

    fn finish(&self) {
        let count = |map: &BTreeMap<String, Vec<String>>| map.values().map(Vec::len).sum::<usize>();
        println!(
            "summary: {} mutants, {} of them bad for the loader: {} not seen by the judge, of which {} are explained; {} work and are \
             refused, of which {} are not explained",
            self.mutants,
            self.bad.values().sum::<usize>(),
            count(&self.unseen) + self.known.values().sum::<usize>(),
            self.known.values().sum::<usize>(),
            self.works,
            count(&self.refused)
        );
        println!("explained, of bad ones: {:?}", self.known);
        let mut told = String::new();
        for (title, map) in [("taken, and bad", &self.unseen), ("refused, and good", &self.refused)] {
            for (kind, changes) in map {
                let shown: String = changes.iter().take(6).map(|change| format!("\n    {change}")).collect();
                let _ = writeln!(told, "{title}: {kind} ({}){shown}", changes.len());
            }
        }
        assert!(told.is_empty(), "\n{told}");
    }
}

fn compare(kinds: &[Kind], choose: impl Fn(Vec<Mutant>) -> Vec<Mutant>) -> Seen {
    let mut seen = Seen::default();
    for kind in kinds {
        let fixture = Fixture::new(*kind);
        assert_eq!(judge(&fixture, &fixture.bytes), [""; 0], "{}", kind.name);
        let mutants = all(&fixture.bytes, &fields(&fixture.bytes));
        seen.compare(&fixture, &choose(mutants));
    }
    seen
}

/// The library looks before it calls what it only wishes for, which nobody can see from outside.
#[test]
fn a_wish_that_nothing_fulfils_is_noted() {
    let fixture = Fixture::new(KINDS[0]);
    let path = Utf8PathBuf::from_path_buf(fixture.library()).unwrap();
    let overrides = Overrides { manylinux: Manylinux::all().last(), ..Overrides::default() };
    let findings = built::check_file(&path, &overrides);
    let told: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(told, ["wishes for `wished_for` (weak) that nothing defines"]);
    assert_eq!(findings[0].severity, Severity::Note);
}

#[test]
fn what_the_loader_refuses_the_judge_refuses() {
    let seen = compare(KINDS, |mutants| some(mutants, 100, 3));
    assert!(seen.mutants > 600, "{}", seen.mutants);
    seen.finish();
}

#[test]
#[ignore = "long: loads some ten thousand changed libraries"]
fn what_the_loader_refuses_the_judge_refuses_whatever_field_is_changed() {
    let seen = compare(KINDS, |mutants| some(mutants, 5000, 7));
    seen.finish();
    let idle: Vec<&str> =
        REFUSED.iter().map(|(words, _)| *words).filter(|words| !seen.used.contains(words)).collect();
    println!("explained, and not seen this time: {idle:?}");
    let parts = UNSEEN.iter().map(|(kind, percent, _)| {
        let known = seen.known.get(kind).copied().unwrap_or(0);
        let bad = seen.bad.get(*kind).copied().unwrap_or(0);
        (known * 100 > percent * bad, format!("{kind}: {known} of {bad} not seen"))
    });
    let (beyond, within): (Vec<_>, Vec<_>) = parts.partition(|(is_beyond, _)| *is_beyond);
    let told = |parts: &[(bool, String)]| parts.iter().map(|(_, told)| told.clone()).collect::<Vec<_>>();
    println!("as many as may be: {:?}", told(&within));
    assert_eq!(told(&beyond), [""; 0]);
}
