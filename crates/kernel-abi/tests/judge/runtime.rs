//! Copies of libstdc++ in a library: whole and in parts, hidden and stripped, alone and beside the shared one.

use crate::planted::{torch, verdict};
use crate::workshop::Workshop;

const CODE: &str = "abi/static-libstdcxx";

/// What a kernel may use, small and large.
const USES: &[(&str, &str)] = &[
    (
        "memory",
        "#include <vector>\nENTRY { std::vector<int> v; for (int i = 0; i < n; ++i) v.push_back(i); return v.size(); }",
    ),
    ("text", "#include <string>\nENTRY { std::string s(n, 'x'); s += std::to_string(n); return s.size(); }"),
    (
        "exceptions",
        "#include <stdexcept>\nENTRY { try { throw std::runtime_error(\"x\"); } catch (std::exception &e) { return e.what()[0]; } }",
    ),
    (
        "handlers",
        "#include <exception>\n#include <new>\nENTRY { std::set_terminate(0); std::set_new_handler(0); return n; }",
    ),
    ("resources", "#include <memory_resource>\nENTRY { return std::pmr::get_default_resource() != 0; }"),
    ("threads", "#include <thread>\nENTRY { std::thread t([] {}); t.join(); return n; }"),
    ("streams", "#include <iostream>\nENTRY { std::cout << n; return n; }"),
    ("locales", "#include <locale>\nENTRY { return std::locale().name().size(); }"),
    ("expressions", "#include <regex>\nENTRY { return std::regex_match(\"aab\", std::regex(\"a+b\")); }"),
];
const ENTRY: &str = "extern \"C\" __attribute__((visibility(\"default\"))) int PyInit_x(int n)";

/// Ways to link the archive. All of it, with and without libgcc; and in front of the shared library, which stays needed.
const LINKS: &[&[&str]] = &[
    &["-static-libstdc++"],
    &["-static-libstdc++", "-static-libgcc", "-Wl,-z,noseparate-code"],
    &["-nodefaultlibs", "-l:libstdc++.a", "-Wl,--no-as-needed", "-lstdc++", "-lm", "-lgcc_s", "-lc"],
];

#[test]
fn a_copy_of_any_size_is_found_and_the_shared_one_is_not_taken_for_one() {
    let workshop = Workshop::new();
    let flags = ["-std=c++17", "-fvisibility=hidden", "-Wl,--exclude-libs,ALL"];
    // Each way to link with every third use: what they differ in does not depend on one another.
    for ((name, source), link) in USES.iter().zip(LINKS.iter().cycle()) {
        let source = source.replace("ENTRY", ENTRY);
        let copy = workshop.library("copy.so", &source, &[&flags[..], link].concat());
        assert!(verdict(&workshop, &copy, &torch()).contains(CODE), "{name} {link:?}");
        let shared = workshop.library("shared.so", &source, &flags);
        assert!(!verdict(&workshop, &shared, &torch()).contains(CODE), "{name}");
    }
    let source = USES[0].1.replace("ENTRY", ENTRY);
    let exported = workshop.library("exported.so", &source, &["-std=c++17", "-static-libstdc++"]);
    assert!(verdict(&workshop, &exported, &torch()).contains(CODE), "exported");
}

/// Parts that somebody takes out of the archive, beside the shared library.
#[test]
fn parts_of_a_copy_are_found_beside_the_shared_library() {
    let workshop = Workshop::new();
    let archive = workshop.told("g++", &["-print-file-name=libstdc++.a"]);
    workshop.run("ar", &["x", archive.trim()]);
    fs_err::write(workshop.path("hide.map"), "{ global: PyInit_x; local: *; };").expect("writes");
    let flags = ["-Wl,--version-script,hide.map", "-Wl,--no-as-needed", "-lstdc++", archive.trim()];
    for parts in [
        &["eh_throw.o", "eh_globals.o"][..],
        &["eh_throw.o", "eh_globals.o", "new_handler.o", "globals_io.o", "ios_init.o", "eh_terminate.o"],
        &["vterminate.o", "eh_term_handler.o"],
        &["locale_init.o"],
        &["locale.o", "globals_io.o"],
        &["cow-locale_init.o"],
    ] {
        let source = format!("{ENTRY} {{ return n; }}");
        let copy = workshop.library("part.so", &source, &[parts, &flags].concat());
        assert!(verdict(&workshop, &copy, &torch()).contains(CODE), "{parts:?}");
    }
}

/// Code that handles exceptions of any language compares with the mark, and does not throw.
#[test]
fn comparing_with_the_mark_of_exceptions_is_no_copy() {
    let workshop = Workshop::new();
    let compare = "#include <unwind.h>\n#include <exception>\n\
                   static int cxx(_Unwind_Exception *e) { return e && e->exception_class == 0x474e5543432b2b00; }\n";
    let plain = format!("{compare}{ENTRY} {{ return cxx((_Unwind_Exception *)(long)n); }}");
    let catching = format!(
        "{compare}{ENTRY} {{ try {{ return cxx((_Unwind_Exception *)(long)n) + !std::current_exception(); }} catch (...) {{ return 0; }} }}"
    );
    for (source, flags) in [(&plain, &[][..]), (&catching, &[]), (&plain, &["-static-libgcc"])] {
        let library = workshop.library("compares.so", source, flags);
        assert!(library.windows(8).any(|window| window == b"\0++CCUNG"), "the mark is there");
        assert!(!verdict(&workshop, &library, &torch()).contains(CODE), "{source}");
    }
}

/// Texts of the archive moved into code, and edited: the code itself still tells.
#[test]
fn a_copy_whose_texts_are_hidden_is_found() {
    let workshop = Workshop::new();
    let source = format!("#include <iostream>\n{ENTRY} {{ std::cout << n; return n; }}");
    let flags = ["-fvisibility=hidden", "-static-libstdc++", "-Wl,--exclude-libs,ALL"];
    let mut copy = workshop.library("copy.so", &source, &flags);
    let text = b"terminate called recursively";
    let at = copy.windows(text.len()).position(|window| window == text).expect("the text");
    copy[at] = b'T';
    assert!(verdict(&workshop, &copy, &torch()).contains(CODE));
}
