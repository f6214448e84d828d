//! Escaping, one function per target syntax. Every value from a manifest, a file name or a server passes through here
//! on its way into a generated file.

use std::fmt::Write as _;

/// A value in a Ninja file, as the right side of a variable: `$` doubled. Line ends cannot be written there.
pub fn ninja_value(text: &str) -> Result<String, Unwritable> {
    if text.contains(['\n', '\r', '\0']) {
        return Err(Unwritable::new(text, "a Ninja file"));
    }
    let escaped = text.replace('$', "$$");
    // Leading blanks would be skipped.
    Ok(if escaped.starts_with(' ') { format!("${escaped}") } else { escaped })
}

/// A path in a Ninja build line: `$`, space, colon and bar have a meaning there.
pub fn ninja_path(text: &str) -> Result<String, Unwritable> {
    if text.is_empty() || text.contains(['\n', '\r', '\0']) {
        return Err(Unwritable::new(text, "a Ninja file"));
    }
    // Ninja knows no escape for a bar; a path that is only bars would be read as a separator.
    if text.starts_with('|') {
        return Err(Unwritable::new(text, "a Ninja file"));
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '$' | ' ' | ':') {
            escaped.push('$');
        }
        escaped.push(c);
    }
    Ok(escaped)
}

/// One word of a POSIX shell.
pub fn shell(text: &str) -> Result<String, Unwritable> {
    if text.contains('\0') {
        return Err(Unwritable::new(text, "a shell command"));
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=+,:@%".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        return Ok(text.to_owned());
    }
    Ok(format!("'{}'", text.replace('\'', "'\\''")))
}

/// One argument in a response file of GCC, Clang or the linkers: a backslash before blanks, quotes and backslashes.
pub fn response(text: &str) -> Result<String, Unwritable> {
    if text.contains('\0') {
        return Err(Unwritable::new(text, "a response file"));
    }
    if text.is_empty() {
        return Ok("\"\"".to_owned());
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Ok(escaped)
}

/// A flag for the host compiler behind nvcc, which cuts it at commas and hands the rest to a shell as it stands: nothing
/// but plain characters survives that, whatever the quoting.
pub fn nvcc_host(flag: &str) -> Result<String, Unwritable> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=+:@%,".contains(&byte);
    if flag.is_empty() || !flag.bytes().all(plain) {
        return Err(Unwritable::new(flag, "a command of nvcc"));
    }
    Ok(format!("-Xcompiler={}", flag.replace(',', "\\,")))
}

/// A string literal of C and C++, with its quotes. Everything but plain ASCII is written in octal, which, unlike
/// hexadecimal, cannot swallow the characters that follow.
pub fn c_string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                literal.push('\\');
                literal.push(char::from(byte));
            }
            // Two question marks could begin a trigraph.
            b' '..=b'~' if byte != b'?' => literal.push(char::from(byte)),
            _ => drop(write!(literal, "\\{byte:03o}")),
        }
    }
    literal.push('"');
    literal
}

/// A string literal of Python.
pub fn python_string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                literal.push('\\');
                literal.push(c);
            }
            ' '..='~' => literal.push(c),
            _ => drop(write!(literal, "\\U{:08x}", u32::from(c))),
        }
    }
    literal.push('"');
    literal
}

/// A string of TOML, with its quotes.
pub fn toml_string(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A string literal of Nix, with its quotes; `${` would begin an expression.
pub fn nix_string(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace("${", "\\${").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

/// A text that a syntax has no way to write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("`{text}` cannot be written in {place}")]
#[diagnostic(
    code("build/unwritable"),
    help("rename the file or change the value: line ends and NUL cannot be passed on")
)]
pub struct Unwritable {
    text: String,
    place: &'static str,
}

impl Unwritable {
    fn new(text: &str, place: &'static str) -> Self {
        Self { text: text.escape_debug().to_string(), place }
    }
}
