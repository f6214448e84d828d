//! Simulated machines: processes whose true speed-up is known, under the kinds of noise that real machines make.

use fastrand::Rng;
use kernel_bench::measurement::{Block, Measurement, Order, Process};

/// What disturbs a machine, in logarithms of time.
#[derive(Clone, Copy)]
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    /// Standard deviation of each sample.
    pub(crate) sigma: f64,
    /// Share of samples that are interrupted, by 0.6 of their length on average.
    pub(crate) spikes: f64,
    /// Standard deviation of what the layout of a process adds to each arm.
    pub(crate) layout: f64,
    /// Change from the first sample of a process to the last.
    pub(crate) drift: f64,
    /// Standard deviation of a slow, wandering change.
    pub(crate) wander: f64,
    /// Slow-down of the machine's second speed.
    pub(crate) modes: f64,
    /// What the second sample of a block gains.
    pub(crate) order: f64,
}

const CALM: Machine = Machine {
    name: "iid 2 %",
    sigma: 0.02,
    spikes: 0.0,
    layout: 0.0,
    drift: 0.0,
    wander: 0.0,
    modes: 0.0,
    order: 0.0,
};

/// The eight machines of the tables.
pub(crate) const MACHINES: [Machine; 8] = [
    CALM,
    Machine { name: "spikes 5 %", spikes: 0.05, ..CALM },
    Machine { name: "layout 1.5 %", layout: 0.015, ..CALM },
    Machine { name: "drift -5 %", drift: -0.05, ..CALM },
    Machine { name: "drift +5 %", drift: 0.05, ..CALM },
    Machine { name: "wander 3 %", wander: 0.03, ..CALM },
    Machine { name: "modes 15 %", modes: 0.15, ..CALM },
    ALL,
];

/// Everything at once.
pub(crate) const ALL: Machine = Machine {
    name: "all",
    sigma: 0.03,
    spikes: 0.05,
    layout: 0.01,
    drift: -0.04,
    wander: 0.03,
    modes: 0.10,
    order: 0.0,
};

/// The second place in a block is worth 5 %.
pub(crate) const ORDERED: Machine = Machine { name: "order 5 %", order: 0.05, ..CALM };

/// A machine by its name.
pub(crate) fn machine(name: &str) -> Machine {
    MACHINES.into_iter().find(|machine| machine.name == name).expect("a machine of the table")
}

/// A standard normal value.
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}

impl Machine {
    /// What the machine does to samples in a row, in one process.
    pub(crate) fn environment(&self, samples: usize, rng: &mut Rng) -> Vec<f64> {
        let mut wander = self.wander * normal(rng);
        let mut slow = rng.bool();
        (0..samples)
            .map(|index| {
                if index > 0 && self.wander > 0.0 {
                    wander = 0.98 * wander + (1.0_f64 - 0.98 * 0.98).sqrt() * self.wander * normal(rng);
                }
                slow ^= self.modes > 0.0 && rng.f64() < 1.0 / 60.0;
                let along = index as f64 / (samples - 1).max(1) as f64;
                let second = if slow { -(1.0 - self.modes).ln() } else { 0.0 };
                self.drift * along + wander + second
            })
            .collect()
    }

    /// What happens to one sample alone.
    pub(crate) fn disturbance(&self, rng: &mut Rng) -> f64 {
        let spike = if self.spikes > 0.0 && rng.f64() < self.spikes {
            (-0.6 * (1.0 - rng.f64()).ln()).ln_1p()
        } else {
            0.0
        };
        self.sigma * normal(rng) + spike
    }

    pub(crate) fn layouts(&self, rng: &mut Rng) -> (f64, f64) {
        if self.layout > 0.0 { (self.layout * normal(rng), self.layout * normal(rng)) } else { (0.0, 0.0) }
    }

    /// One process of so many paired blocks, in balanced random order; the candidate's logarithmic speed-up is `effect`.
    pub(crate) fn process(&self, effect: f64, blocks: usize, rng: &mut Rng) -> Process {
        let environment = self.environment(2 * blocks, rng);
        let (baseline, candidate) = self.layouts(rng);
        let mut first = Order::BaselineFirst;
        let blocks = (0..blocks)
            .map(|index| {
                let turned = if index % 2 == 0 { rng.bool() } else { true };
                if turned {
                    first = other(first);
                }
                let (one, two) = (environment[2 * index], environment[2 * index + 1] - self.order);
                let (base, cand) = if first == Order::BaselineFirst { (one, two) } else { (two, one) };
                Block {
                    baseline_ns: 1e5 * (base + baseline + self.disturbance(rng)).exp(),
                    candidate_ns: 1e5 * (cand + candidate + self.disturbance(rng) - effect).exp(),
                    order: first,
                    marks: kernel_bench::measurement::Marks::default(),
                }
            })
            .collect();
        Process { blocks, ..Process::default() }
    }

    /// One workload, measured by so many processes.
    pub(crate) fn measurement(
        &self,
        name: &str,
        effect: f64,
        processes: usize,
        rng: &mut Rng,
    ) -> Measurement {
        let mut measurement = empty(name);
        self.extend(&mut measurement, effect, processes, rng);
        measurement
    }

    /// Measures on, up to so many processes.
    pub(crate) fn extend(&self, measurement: &mut Measurement, effect: f64, processes: usize, rng: &mut Rng) {
        while measurement.processes.len() < processes {
            measurement.processes.push(self.process(effect, BLOCKS, rng));
        }
    }
}

/// Paired blocks of a process.
pub(crate) const BLOCKS: usize = 20;

pub(crate) fn empty(name: &str) -> Measurement {
    Measurement {
        workload: name.to_owned(),
        weight: 1.0,
        size: None,
        work: kernel_bench::measurement::Work::default(),
        fault: None,
        processes: Vec::new(),
    }
}

fn other(order: Order) -> Order {
    match order {
        Order::BaselineFirst => Order::CandidateFirst,
        Order::CandidateFirst => Order::BaselineFirst,
    }
}
