//! Migrations beyond the collected manifests: odd spellings, edition 3, and refusals.

use kernel_spec::SourceText;
use kernel_spec::manifest::{Edition, migrate};

fn migrated(text: &str, from_three: bool) -> (Edition, String) {
    let migration = migrate(&SourceText::new("build.toml", text), from_three).expect(text);
    (migration.from, migration.text)
}

fn refused(text: &str, from_three: bool) -> Vec<String> {
    let findings = migrate(&SourceText::new("build.toml", text), from_three).expect_err(text);
    findings.iter().map(|finding| finding.code.id.to_owned()).collect()
}

#[test]
fn only_what_must_change_changes() {
    for (text, expected) in [
        (
            "# top\n[general] # about\nversion = 1 # first\nname = 'a-b'\nlicense = \"MIT\"\nbackends = [ \"cpu\" ] # end\n\n# hub\n[general.hub]\n[torch]\n",
            "# top\n[general] # about\nversion = 1 # first\nname = 'a-b'\nlicense = \"MIT\"\nbackends = [ \"cpu\" ] # end\nedition = 5\n\n# hub\n[general.hub]\n[torch]\n",
        ),
        (
            "[torch]\r\n[general]\r\nname = \"ab\"\r\nversion = 1\r\nlicense = \"MIT\"\r\nbackends = []\r\n",
            "[torch]\r\n[general]\r\nname = \"ab\"\r\nversion = 1\r\nlicense = \"MIT\"\r\nbackends = []\r\nedition = 5\r\n",
        ),
        (
            "\u{feff}general = { name = \"ab\", version = 1, license = \"MIT\", backends = [] }\ntorch = {}\n",
            "\u{feff}general = { name = \"ab\", version = 1, license = \"MIT\", backends = [] , edition = 5 }\ntorch = {}\n",
        ),
        (
            "general.name = \"ab\"\ngeneral.version = 1\ngeneral.license = \"MIT\"\ngeneral.backends = []\n[torch]\n",
            "general.name = \"ab\"\ngeneral.version = 1\ngeneral.license = \"MIT\"\ngeneral.backends = []\ngeneral.edition = 5\n[torch]\n",
        ),
        (
            "[general]\nedition = 4 # old\nname = \"ab\"\nversion = 1\nlicense = \"MIT\"\nbackends = []\n[torch]\n",
            "[general]\nedition = 5 # old\nname = \"ab\"\nversion = 1\nlicense = \"MIT\"\nbackends = []\n[torch]\n",
        ),
    ] {
        assert_eq!(migrated(text, false), (Edition::Four, expected.to_owned()));
    }
}

const THREE: &str = "[general]\nname = \"ab\"\nlicense = \"MIT\"\nbackends = [\"cuda\"]\n";

#[test]
fn only_an_explicit_claim_reads_edition_three() {
    assert_eq!(refused(THREE, false), ["manifest/missing-key", "manifest/framework"]);
    let (from, text) = migrated(THREE, true);
    assert_eq!(
        (from, text),
        (Edition::Three, format!("{THREE}version = 1\nedition = 5\n\n[torch-noarch]\n"))
    );
}

#[test]
fn nothing_is_guessed_or_lost() {
    assert_eq!(refused(&THREE.replace("license = \"MIT\"\n", ""), true), ["manifest/missing-key"]);
    // The peer turned this into a Python-only kernel without sources.
    let typo = format!("{THREE}version = 1\n[torch]\nscr = [\"a.cpp\"]\n");
    for from_three in [false, true] {
        assert_eq!(refused(&typo, from_three), ["manifest/unknown-key"]);
    }
    let per_backend =
        format!("{THREE}version = 1\n[torch]\nsrc = [\"a.cpp\"]\n[torch.stable-abi]\ncuda = \"2.10\"\n");
    let (from, text) = migrated(&per_backend, false);
    assert_eq!(from, Edition::Four);
    assert!(text.contains("[torch.stable-abi]") && text.contains("edition = 5"), "{text}");
    assert_eq!(refused("[general]\nedition = 6\n", true), ["manifest/edition"]);
    assert_eq!(
        refused("[general]\nuniversal = true\n[torch]\nuniversal = true\n", true),
        ["manifest/edition"]
    );
    assert!(!refused("[general", false).is_empty());
}
