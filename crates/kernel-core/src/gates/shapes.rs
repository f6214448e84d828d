//! Shapes at which kernels go wrong: of one, of primes, and on both sides of the sizes that blocks and vectors have.

use kernel_bench::protocol::Random;
use kernel_spec::workloads::{Operation, Sizes};

/// Wanted sizes, as far as a dimension allows them.
const AWKWARD: [u64; 13] = [1, 17, 129, 7, 31, 257, 2, 65, 3, 1023, 33, 513, 1025];
/// How far apart the wanted sizes of two dimensions of one shape are: prime to the number of sizes, so that all pairs come.
const APART: usize = 5;

/// So many sets of sizes, of which no tensor has more than `elements` elements. The first is of ones; where a dimension
/// may be 0, one is empty.
pub(super) fn awkward(operation: &Operation, count: usize, elements: u64, random: &mut Random) -> Vec<Sizes> {
    let mut found: Vec<Sizes> = Vec::new();
    let ones = sizes(operation, |_| 1);
    let mut wanted = vec![ones];
    if operation.dims.values().any(|dimension| dimension.min == 0 && dimension.allows(0)) {
        wanted.push(sizes(operation, |_| 0));
    }
    wanted.extend(
        (1..AWKWARD.len())
            .map(|row| sizes(operation, |column| AWKWARD[(row + APART * column) % AWKWARD.len()])),
    );
    // More than there are awkward ones: any.
    wanted.extend((0..count * 2).map(|_| {
        let most = 1 << (4 + random.below(7));
        sizes(operation, |_| 1 + u64::try_from(random.below(most)).unwrap_or_default())
    }));
    for sizes in wanted {
        let sizes = bounded(operation, sizes, elements);
        if found.len() < count && !found.contains(&sizes) && operation.tensors_of(&sizes, "float32").is_some()
        {
            found.push(sizes);
        }
    }
    found
}

fn sizes(operation: &Operation, wanted: impl FnMut(usize) -> u64) -> Sizes {
    let wanted = (0..operation.dims.len()).map(wanted);
    operation
        .dims
        .iter()
        .zip(wanted)
        .map(|((name, dimension), wanted)| (name.clone(), dimension.nearest(wanted)))
        .collect()
}

/// Halves the largest size until every tensor is small enough, as far as the dimensions allow.
fn bounded(operation: &Operation, mut sizes: Sizes, elements: u64) -> Sizes {
    while largest(operation, &sizes).is_some_and(|largest| largest > elements) {
        let halved =
            sizes.iter().map(|(name, size)| (operation.dims[name].nearest(size / 2), name.clone(), *size));
        let Some((half, name, _)) =
            halved.filter(|(half, _, size)| half < size).max_by_key(|(_, _, size)| *size)
        else {
            break;
        };
        sizes.insert(name, half);
    }
    sizes
}

/// Elements of the largest tensor.
pub(super) fn largest(operation: &Operation, sizes: &Sizes) -> Option<u64> {
    let tensors = operation.tensors_of(sizes, "float32")?;
    tensors
        .iter()
        .map(|tensor| tensor.shape.iter().fold(1, |product: u64, size| product.saturating_mul(*size)))
        .max()
}
