//! Logs for the program's developers. Users are told things by events; without `-v` nothing is logged.

use tracing::Level;

/// Sends logs to standard error: `-v` debug, `-vv` everything.
pub(crate) fn start(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => Level::DEBUG,
        _ => Level::TRACE,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time()
        .init();
}
