//! PEM as logs keep it: lines of 64 characters that end in a single line feed. A log normalises what it is sent, and a
//! bundle whose certificate is written otherwise is taken for another one by some verifiers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Bytes under a label.
pub(crate) fn lines(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let mut pem = format!("-----BEGIN {label}-----\n");
    for (at, character) in text.chars().enumerate() {
        pem.push(character);
        if at % 64 == 63 {
            pem.push('\n');
        }
    }
    if !pem.ends_with('\n') {
        pem.push('\n');
    }
    pem + &format!("-----END {label}-----\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_after_64_characters_and_at_the_end() {
        let text = lines("CERTIFICATE", &[0; 48]);
        assert_eq!(
            text,
            format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", "A".repeat(64))
        );
        assert_eq!(lines("X", &[0; 51]).lines().nth(2), Some("AAAA"));
    }
}
