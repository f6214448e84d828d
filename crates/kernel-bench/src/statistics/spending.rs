//! How the probability of a false claim is divided over the looks. Equal shares hold whatever the looks have in common
//! (Bonferroni); finer boundaries assume a known variance, which a handful of processes do not have.

/// The plan of looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Spending {
    alpha: f64,
    looks: usize,
}

impl Spending {
    /// All of alpha for this many looks.
    pub fn new(alpha: f64, looks: usize) -> Self {
        Self { alpha, looks }
    }

    /// What one look may spend.
    #[expect(clippy::cast_precision_loss, reason = "a run has few looks")]
    pub fn level(&self) -> f64 {
        self.alpha / self.looks.max(1) as f64
    }

    /// What so many looks have spent.
    #[expect(clippy::cast_precision_loss, reason = "a run has few looks")]
    pub fn spent(&self, looks: usize) -> f64 {
        self.level() * looks.min(self.looks) as f64
    }
}
