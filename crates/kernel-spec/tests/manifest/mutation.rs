//! Manifests that somebody could have written by mistake: a sound one with a few lines changed.

use proptest::prelude::*;
use proptest::sample::Index;

/// A sound manifest of each framework, where the collected ones are not at hand.
pub(crate) const SOUND: [&str; 3] = [
    "[general]\nname = \"demo-op\"\nversion = 1\nlicense = \"MIT\"\nbackends = [\"cpu\", \"cuda\"]\nedition = 5\n\n\
     [general.hub]\nrepo-id = \"acme/demo-op\"\n\n[torch]\nsrc = [\n  \"torch-ext/binding.cpp\",\n]\n\n\
     [kernel.demo]\nbackend = \"cuda\"\ndepends = [\"torch\", \"cutlass_4_0\"]\nsrc = [\"a.cu\", \"b.cuh\"]\n\
     cuda-capabilities = [\"8.0\", \"9.0a\"]\ncuda-flags = [\"-O3\"]\n",
    "[general]\nname = \"noarch\"\nversion = 2\nlicense = \"Apache-2.0\"\nbackends = [\"cuda\", \"rocm\"]\n\n\
     [torch-noarch]\npyext = [\"py\", \"json\"]\n",
    "[general]\nname = \"ffi\"\nversion = 0\nlicense = \"MIT\"\nbackends = [\"xpu\"]\nedition = 5\n\n[tvm-ffi]\n\
     src = [\"ffi.cpp\"]\n\n[kernel.ffi]\nbackend = \"xpu\"\ndepends = []\nsrc = [\"ffi.cpp\"]\nsycl-flags = []\n",
];

/// Lines that can stand in a manifest, in the right table or not.
const LINES: [&str; 30] = [
    "edition = 5",
    "edition = 4",
    "version = 3",
    "license = \"other\"",
    "minver = \"2.9\"",
    "maxver = \"2.10\"",
    "minver = \"12\"",
    "stable-abi = \"2.9\"",
    "[torch.stable-abi]",
    "cpu = \"2.9\"",
    "[general.cuda]",
    "[general.tpu]",
    "[general.neuron]",
    "[general.xpu]",
    "python-depends = [\"einops\"]",
    "python-depends = [\"onednn\"]",
    "kernel-depends = [{ repo-id = \"a/b\", version = 1 }]",
    "kernel-depends = [{ repo-id = \"a/b\", revision = \"main\" }]",
    "upstream = \"git@host:a/b\"",
    "source = \"https://host/a/b\"",
    "cxx-flags = [\"-O2\"]",
    "include = [\".\"]",
    "pyext = [\"py\"]",
    "[kernel.other]",
    "backend = \"cpu\"",
    "depends = []",
    "src = []",
    "cuda-minver = \"12.8\"",
    "[kernel]",
    "# a remark",
];

/// Words with what a slip or a copy makes of them.
const WORDS: [(&str, &str); 18] = [
    ("cuda", "cpu"),
    ("cpu", "rocm"),
    ("rocm", "tpu"),
    ("torch", "torch-noarch"),
    ("torch-noarch", "tvm-ffi"),
    ("src", "scr"),
    ("license", "licence"),
    ("1", "\"1\""),
    ("\"", "'"),
    ("[\"", "\""),
    ("8.0", "11.8"),
    ("9.0a", "9.0"),
    (".cu", ".cpp"),
    ("-", "_"),
    ("general", "generel"),
    ("kernel.", "kernel."),
    (", ", ",\n"),
    ("a", "A"),
];

#[derive(Clone, Debug)]
enum Change {
    Remove(Index),
    Repeat(Index, Index),
    Insert(Index, Index),
    Reword(Index, Index),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    prop_oneof![
        index().prop_map(Change::Remove),
        (index(), index()).prop_map(|(from, to)| Change::Repeat(from, to)),
        (index(), index()).prop_map(|(line, to)| Change::Insert(line, to)),
        (index(), index()).prop_map(|(word, line)| Change::Reword(word, line)),
    ]
}

fn apply(text: &str, change: &Change) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        return text.to_owned();
    }
    match change {
        Change::Remove(at) => {
            lines.remove(at.index(lines.len()));
        }
        Change::Repeat(from, to) => {
            let line = lines[from.index(lines.len())].clone();
            lines.insert(to.index(lines.len()), line);
        }
        Change::Insert(line, to) => {
            lines.insert(to.index(lines.len() + 1), LINES[line.index(LINES.len())].to_owned());
        }
        Change::Reword(word, at) => {
            let (from, to) = WORDS[word.index(WORDS.len())];
            let with: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains(from)).collect();
            if let Some(line) = (!with.is_empty()).then(|| with[at.index(with.len())]) {
                lines[line] = lines[line].replacen(from, to, 1);
            }
        }
    }
    lines.join("\n") + "\n"
}

/// One of the texts, changed in up to `most` places.
pub(crate) fn mutated(texts: Vec<String>, most: usize) -> impl Strategy<Value = String> {
    (proptest::sample::select(texts), prop::collection::vec(change(), 0..=most))
        .prop_map(|(text, changes)| changes.iter().fold(text, |text, change| apply(&text, change)))
}

/// What to start from: the collected manifests and our own.
pub(crate) fn seeds() -> Vec<String> {
    let collected = crate::collection::collected();
    let short = collected.into_iter().map(|(_, text)| text).filter(|text| text.len() < 20_000);
    SOUND.iter().map(|text| (*text).to_owned()).chain(short).collect()
}
