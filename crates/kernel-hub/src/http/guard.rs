//! A panic of the network library ends one request, as a fault of the network, and not the program.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kernel_spec::panicked;

/// Does something with the library. What it was done with is not used again after a panic: its connection is dropped.
pub(super) fn guarded<T, E: From<io::Error>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let reason = format!("the network library broke down ({})", panicked::message(&*panic));
        Err(io::Error::other(reason).into())
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::http::paced::Paced;
    use crate::http::retry::Patience;

    struct Panics;

    impl Read for Panics {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("a length of {}", 0)
        }
    }

    #[test]
    fn a_panic_of_the_library_is_an_error_of_the_request() {
        let answer: Result<(), ureq::Error> = guarded(|| panic!("a state that cannot be"));
        let said = answer.expect_err("a panic").to_string();
        assert!(said.contains("the network library broke down (a state that cannot be)"), "{said}");
        let read = Paced::new(Panics, Patience::default()).read(&mut [0]);
        assert!(read.expect_err("a panic").to_string().ends_with("(a length of 0)"));
        assert_eq!(guarded(|| Ok::<_, io::Error>(1)).expect("nothing happened"), 1);
    }
}
