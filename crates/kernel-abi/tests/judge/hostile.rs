//! Bytes that mean harm: whatever they are, the answer is facts or an error.

use std::sync::LazyLock;

use kernel_abi::Image;
use proptest::prelude::*;

use crate::workshop::Workshop;

/// A real library with versions, relocations, notes and a hash table.
static REAL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let source = "#include <iostream>\nint f(int x) { std::cout << x; return x; }";
    Workshop::new().library("real.so", source, &["-s", "-Wl,--hash-style=both"])
});

/// A small fat Mach-O of two libraries, made by hand: no tool here writes one.
fn macho() -> Vec<u8> {
    let mut thin = Vec::new();
    let words = [0xfeed_facf_u32, 0x0100_000c, 0, 6, 2, 24 + 24, 0, 0];
    let build = [0x32, 24, 1, 0x000d_0000, 0x000e_0000, 0];
    let symbols = [0x2, 24, 80, 1, 96, 8];
    let symbol = [1, 0x0000_000f, 0, 0];
    for word in words.iter().chain(&build).chain(&symbols).chain(&symbol) {
        thin.extend(u32::to_le_bytes(*word));
    }
    thin.extend(b"\0_entry\0");
    let mut fat = Vec::new();
    let length = u32::try_from(thin.len()).expect("small");
    for word in [0xcafe_babe, 2, 0x0100_000c, 0, 48, length, 0, 0x0100_0007, 0, 48, length, 0] {
        fat.extend(u32::to_be_bytes(word));
    }
    fat.extend(thin);
    fat
}

#[test]
fn a_fat_library_has_its_architectures() {
    let image = Image::parse(&macho().as_slice()).expect("a fat library");
    assert_eq!(image.objects.len(), 2);
    let object = &image.objects[0];
    assert_eq!(object.minimum_macos.as_ref().map(ToString::to_string).as_deref(), Some("13.0"));
    assert_eq!(object.symbols().map(|symbol| symbol.name.into_owned()).collect::<Vec<_>>(), ["entry"]);
}

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
        for original in [REAL.clone(), macho()] {
            let mut bytes = original;
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
    fn a_shortened_library_is_never_taken(cut in any::<prop::sample::Index>()) {
        let length = cut.index(REAL.len());
        prop_assert!(Image::parse(&&REAL[..length]).is_err());
    }
}
