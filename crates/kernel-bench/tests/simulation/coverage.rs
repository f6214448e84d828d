//! Intervals and the minimum detectable effect: do they mean what they say?

use fastrand::Rng;
use kernel_bench::statistics::Estimate;

use crate::machine::{machine, normal};
use crate::rivals::values;
use crate::{repeat, share};

type Shape = fn(&mut Rng) -> f64;

/// What the values of processes are drawn from, with mean 0 and its name.
const SHAPES: [(&str, Shape); 4] = [
    ("normal", normal),
    ("t with 3 degrees of freedom", heavy),
    ("5 % contaminated by 8 times the width", contaminated),
    ("log-normal 0.5", skewed),
];

fn heavy(rng: &mut Rng) -> f64 {
    let three: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
    normal(rng) / (three / 3.0).sqrt()
}

fn contaminated(rng: &mut Rng) -> f64 {
    if rng.f64() < 0.05 { 8.0 * normal(rng) } else { normal(rng) }
}

fn skewed(rng: &mut Rng) -> f64 {
    (0.5 * normal(rng)).exp() - 0.125_f64.exp()
}

#[test]
fn intervals_cover_the_truth() {
    const RUNS: usize = 8000;
    println!(
        "\nCoverage of the 95 % interval in % of {RUNS} runs\n| values | 6 | 10 | 24 processes |\n|---|---|---|---|"
    );
    for (name, draw) in SHAPES {
        let rates: Vec<f64> = [6, 10, 24]
            .into_iter()
            .map(|count| {
                let intervals = repeat(RUNS, 7, |rng| {
                    let values: Vec<f64> = (0..count).map(|_| draw(rng)).collect();
                    Estimate::of(&values).unwrap().interval(0.95)
                });
                share(&intervals, |(low, high)| *low <= 0.0 && *high >= 0.0)
            })
            .collect();
        let cells: Vec<String> = rates.iter().map(|rate| format!("{:.1}", 100.0 * rate)).collect();
        println!("| {name} | {} |", cells.join(" | "));
        let least = if name.starts_with("log") { 0.90 } else { 0.93 };
        assert!(rates.iter().all(|rate| *rate >= least), "{name}: {rates:?}");
    }
}

/// A run that reports a minimum detectable effect is followed by one in which this effect is real.
#[test]
fn the_minimum_detectable_effect_is_detected_four_times_in_five() {
    const RUNS: usize = 2000;
    let margin = 0.01_f64.ln_1p();
    println!("\nFound in % of {RUNS} runs when the true effect is the reported minimum detectable one");
    let cases = [
        ("iid 2 %", 6, 0.025),
        ("iid 2 %", 6, 0.00625),
        ("layout 1.5 %", 10, 0.025),
        ("layout 1.5 %", 24, 0.00625),
        ("all", 16, 0.025),
    ];
    for (name, count, level) in cases {
        let machine = machine(name);
        let found = repeat(RUNS, 8, |rng| {
            let pilot = Estimate::of(&values(&machine, 0.0, count, rng)).unwrap();
            let effect = margin + pilot.detectable(level, 0.8);
            Estimate::of(&values(&machine, effect, count, rng)).unwrap().p_above(margin) <= level
        });
        let power = share(&found, |found| *found);
        println!("{name}, {count} processes, level {level}: {:.0}", 100.0 * power);
        assert!((0.75..=0.85).contains(&power), "{name} {count}: {power}");
    }
}
