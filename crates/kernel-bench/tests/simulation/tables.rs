//! The tables of the documentation: the same truth, the same machines, and what different rules make of them.

use crate::machine::MACHINES;
use crate::rivals::{Claim, RULES};
use crate::{repeat, share};

const RUNS: usize = 1000;

fn table(effect: f64) -> Vec<(&'static str, Vec<(f64, f64)>)> {
    println!("\nTrue effect {:+.0} %: % of {RUNS} runs called faster / slower", 100.0 * effect);
    let names: Vec<&str> = MACHINES.iter().map(|machine| machine.name).collect();
    println!("| rule | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()));
    let mut rows = Vec::new();
    for (name, rule) in RULES {
        let row: Vec<(f64, f64)> = MACHINES
            .iter()
            .map(|machine| {
                let claims = repeat(RUNS, 1, |rng| rule(machine, effect.ln_1p(), rng));
                (
                    share(&claims, |claim| *claim == Claim::Faster),
                    share(&claims, |claim| *claim == Claim::Slower),
                )
            })
            .collect();
        let cells: Vec<String> = row
            .iter()
            .map(|(faster, slower)| format!("{:.0}/{:.0}", 100.0 * faster, 100.0 * slower))
            .collect();
        println!("| {name} | {} |", cells.join(" | "));
        rows.push((name, row));
    }
    rows
}

#[test]
fn rules_on_identical_code() {
    let rows = table(0.0);
    let (_, ours) = rows.last().unwrap();
    assert!(ours.iter().all(|(faster, slower)| faster + slower <= 0.01), "{ours:?}");
    let (_, one_sample) = &rows[0];
    let worst = one_sample.iter().map(|(faster, _)| *faster).fold(0.0, f64::max);
    assert!(worst > 0.8, "the rule that this table warns of claims {worst} at most");
}

#[test]
fn rules_on_a_kernel_that_is_5_percent_faster() {
    let rows = table(0.05);
    let (_, ours) = rows.last().unwrap();
    assert!(ours.iter().all(|(faster, slower)| *faster >= 0.95 && *slower <= 0.001), "{ours:?}");
}
