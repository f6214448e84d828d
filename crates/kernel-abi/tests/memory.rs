//! What reading a library costs in memory. A test of its own, because it counts what the whole process allocates.

use kernel_abi::Image;
use peak_alloc::PeakAlloc;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes beside those that grow with the file: two pieces that are walked through, pages, and tables of very small files.
const FIXED: usize = 1 << 20;

/// Libraries of every Linux system, or of the compiler: with versions, relocations of all forms, tables of both hashes.
const REAL: [&str; 4] = ["libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"];

/// The most that was allocated at once while bytes were read, beyond the bytes themselves.
fn cost(bytes: &[u8]) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    if let Ok(image) = Image::parse(&bytes) {
        for object in &image.objects {
            object.symbols().for_each(drop);
        }
    }
    MEMORY.peak_usage().saturating_sub(before)
}

#[test]
fn memory_stays_below_the_size_of_the_file() {
    let real = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].into_iter().flat_map(|folder| {
        let machine = format!("{folder}/{}-linux-gnu", std::env::consts::ARCH);
        [folder.to_owned(), machine]
    });
    let real = real.flat_map(|folder| REAL.map(|name| format!("{folder}/{name}")));
    let real: Vec<Vec<u8>> = real.filter_map(|path| fs_err::read(path).ok()).collect();
    assert!(real.len() >= 3, "the system has no libraries to read");
    // Tables of texts that are looked for are made once.
    cost(&real[0]);
    let edits = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_usize), 0..12);
    let cut = prop::option::weighted(0.2, any::<prop::sample::Index>());
    let library = any::<prop::sample::Index>();
    let noise = prop::collection::vec(any::<u8>(), 0..4096);
    let mut runner = TestRunner::new(Config { cases: 300, ..Config::default() });
    let outcome = runner.run(&(library, edits, cut, noise), |(library, edits, cut, noise)| {
        let mut bytes = library.get(&real).clone();
        for (at, value, region) in edits {
            let region = [64, 1024, 65536, bytes.len()][region].min(bytes.len());
            bytes[at.index(region)] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let header = [b"\x7fELF\x02\x01\x01".as_slice(), &noise].concat();
        for bytes in [bytes, header, noise] {
            let (cost, limit) = (cost(&bytes), bytes.len() + bytes.len() / 8 + FIXED);
            prop_assert!(cost <= limit, "{cost} bytes of memory for {} of the file", bytes.len());
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
