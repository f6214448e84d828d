//! Mangled C++ names (Itanium C++ ABI, section 5.1), as far as it takes to tell whose they are.

/// The outermost namespace or class of a mangled name; none for a function outside all.
pub fn namespace(name: &str) -> Option<&str> {
    let mut rest = name.strip_prefix("_Z")?;
    // Of something else: type information, tables, guards, and what is local to a function, in any order.
    loop {
        let specials = ["TV", "TI", "TS", "TT", "TW", "TH", "TC", "GV", "GR", "GA", "GTt", "GTn", "Z"];
        if let Some(after) = specials.iter().find_map(|special| rest.strip_prefix(special)) {
            rest = after;
        } else if ["Th", "Tv", "Tc"].iter().any(|thunk| rest.starts_with(thunk)) {
            // Thunks start with their offsets.
            rest = &rest[rest.find("_N").or_else(|| rest.find("_Z"))? + 1..];
        } else {
            break;
        }
    }
    let rest = match rest.strip_prefix('N') {
        Some(nested) => nested.trim_start_matches(['r', 'V', 'K', 'R', 'O']),
        None if rest.starts_with("St") => rest,
        None => return None,
    };
    if rest.starts_with("St") || rest.starts_with("Sa") || rest.starts_with("Ss") {
        return Some("std");
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = rest[..digits].parse().ok()?;
    rest.get(digits..digits.checked_add(length)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_found_in_mangled_names() {
        for (name, outer) in [
            ("_ZNK2at10TensorBase8data_ptrEv", Some("at")),
            ("_ZN3c106detail14torchCheckFailEPKcS2_jS2_", Some("c10")),
            ("_ZTIN3c105ErrorE", Some("c10")),
            ("_ZTVN5torch8autograd4NodeE", Some("torch")),
            ("_ZTCN5torch8autograd4NodeE0_NS_4BaseE", Some("torch")),
            ("_ZThn16_N3c105ErrorD0Ev", Some("c10")),
            ("_ZThn16_NK3c105Error4whatEv", Some("c10")),
            ("_ZTv0_n24_N3c105ErrorD1Ev", Some("c10")),
            ("_ZTchn8_h16_N3c105Error5cloneEv", Some("c10")),
            ("_ZGVZN2at6globalEvE4once", Some("at")),
            ("_ZZN2at6globalEvE4once", Some("at")),
            ("_ZGRN2at5valueE_", Some("at")),
            ("_ZGTtN2at6globalEv", Some("at")),
            ("_ZN3c10lsERSoNS_6DeviceE", Some("c10")),
            ("_ZNSt10filesystem4pathD1Ev", Some("std")),
            ("_ZSt28__throw_bad_array_new_lengthv", Some("std")),
            ("_ZTISt9exception", Some("std")),
            ("_Z6launchPfi", None),
            ("_ZN9999at", None),
            ("_ZN18446744073709551615at", None),
            ("_ZThn16", None),
            ("launch", None),
        ] {
            assert_eq!(namespace(name), outer, "{name}");
        }
    }
}
