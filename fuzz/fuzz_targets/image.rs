//! The judge's reader of libraries: whatever the bytes are, there are facts or an error that tells of it.

#![no_main]

use kernel_abi::Image;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match Image::parse(&bytes) {
        Ok(image) => {
            for object in &image.objects {
                object.symbols().for_each(drop);
            }
        }
        Err(error) => assert!(!error.finding("a.so").message.is_empty(), "an error without words"),
    }
});
