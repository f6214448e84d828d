//! Bytes that mean harm: whatever they are, the answer is facts or an error.

use std::sync::LazyLock;

use kernel_abi::Image;
use proptest::prelude::*;

use crate::workshop::Workshop;
use crate::{foreign, macho};

/// A real library with versions, relocations, notes and a hash table.
static REAL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let source = "#include <iostream>\nint f(int x) { std::cout << x; return x; }";
    Workshop::new().library("real.so", source, &["-s", "-Wl,--hash-style=both"])
});

/// One library of every kind that there is.
static KINDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let foreign = foreign::TARGETS.iter().map(|target| foreign::library(*target));
    foreign.chain(macho::samples()).chain([REAL.clone()]).collect()
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_give_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..4096), kind in 0..4_usize) {
        let magic: &[u8] = [&b"\x7fELF\x02\x01\x01"[..], b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe\0\0\0\x02", b"MZ"][kind];
        let _ = Image::parse(&bytes.as_slice());
        let _ = Image::parse(&[magic, &bytes].concat().as_slice());
    }

    #[test]
    fn a_damaged_library_gives_an_answer(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_usize), 1..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        for original in KINDS.iter() {
            let mut bytes = original.clone();
            for (at, value, region) in &edits {
                // Headers and tables decide most, so most edits go there.
                let region = [64, 4096, bytes.len()][*region].min(bytes.len());
                let at = at.index(region);
                bytes[at] = *value;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            if let Ok(image) = Image::parse(&bytes.as_slice()) {
                for object in &image.objects {
                    prop_assert!(object.symbols().count() <= bytes.len());
                }
            }
        }
    }

    #[test]
    fn a_shortened_library_is_never_taken_for_a_whole_one(cut in any::<prop::sample::Index>()) {
        for original in KINDS.iter() {
            let length = cut.index(original.len());
            // Without the table of sections, which stands last, it still loads.
            let is_whole = |image: Image| image.objects.iter().any(|object| !object.cut);
            prop_assert!(!Image::parse(&&original[..length]).is_ok_and(is_whole));
        }
    }
}
