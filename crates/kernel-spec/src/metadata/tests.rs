//! What is written must be read back, and what is wrong must be told in full.

use super::*;

const PEER: &str = r#"{
  "name": "my-kernel",
  "id": "_my_kernel_cuda_7a4e5a7",
  "version": 1,
  "license": "Apache-2.0",
  "upstream": "https://github.com/org/orig.git",
  "python-depends": [
    "einops",
    "nvidia-cutlass-dsl"
  ],
  "kernel-depends": [
    {
      "repo-id": "org/other",
      "version": 1
    },
    {
      "repo-id": "org/third",
      "revision": "main"
    }
  ],
  "kernels-minver": "0.17.0",
  "backend": {
    "type": "cuda",
    "archs": [
      "8.0",
      "9.0a"
    ]
  },
  "digest": {
    "algorithm": "sha256",
    "files": {
      "__init__.py": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    }
  },
  "provenance": {
    "kernel-builder": {
      "version": "0.17.0",
      "commit": "0123456789abcdef0123456789abcdef01234567",
      "dirty": false
    },
    "kernel": {
      "commit": "0123456789abcdef0123456789abcdef01234567",
      "dirty": true
    }
  },
  "x-kernel-builder": {
    "variant": "torch213-cxx11-cu126-x86_64-linux",
    "profile": "release",
    "engine": "local",
    "sandbox": "bubblewrap",
    "toolchain": {
      "compiler": "gcc 12.2.0",
      "identity": "00"
    },
    "policy": "manylinux_2_28",
    "rebuildable": true,
    "id-rule": 1,
    "of-a-later-version": 7
  },
  "of-others": {
    "kept": [
      null,
      1.5
    ]
  }
}
"#;

fn faults(text: &str) -> Vec<String> {
    let findings = Metadata::from_json(text.as_bytes()).expect_err("refused");
    findings.iter().map(|finding| finding.message.replace("`metadata.json` cannot be used: ", "")).collect()
}

#[test]
fn what_is_read_is_written_again_to_the_byte() {
    let metadata = Metadata::from_json(PEER.as_bytes()).expect("read");
    assert_eq!(metadata.to_json(), PEER);
}

#[test]
fn the_smallest_file_of_the_peer_is_read() {
    let text = r#"{"name":"ab","id":"_ab_cpu_1","version":0,"license":"MIT","python-depends":[],"backend":{"type":"cpu"},
        "digest":null,"provenance":{"kernel-builder":{"version":"1","sha":"ABCDEF6789abcdef0123456789abcdef01234567","dirty":false}}}"#;
    let metadata = Metadata::from_json(text.as_bytes()).expect("read");
    let tool = metadata.provenance.expect("provenance").kernel_builder;
    assert_eq!(tool.git.expect("a state").commit, "abcdef6789abcdef0123456789abcdef01234567");
}

#[test]
fn every_fault_is_told_at_once() {
    let text = r#"{"name":"My_Kernel","version":1.0,"license":5,"upstream":1,"python-depends":["a",2],
        "kernel-depends":[{"repo-id":"a/b"}],"kernels-minver":"0.17","backend":{"type":"gpu","archs":"8.0"},
        "digest":{"algorithm":"md5","files":{"a":1}},
        "provenance":{"kernel-builder":{"version":"1","commit":"0123456789abcdef0123456789abcdef01234567"},
                      "kernel":{"commit":"12","dirty":"no"}},
        "x-kernel-builder":{}}"#;
    insta::assert_snapshot!(faults(text).join("\n"));
}

#[test]
fn a_key_that_is_written_twice_is_refused() {
    for text in [r#"{"name":"ab","name":"cd"}"#, r#"{"digest":{"files":{"a":"x","a":"y"}}}"#] {
        let findings = Metadata::from_json(text.as_bytes()).expect_err("refused");
        assert!(findings[0].causes[0].contains("is written twice"), "{findings:?}");
    }
    assert_eq!(faults("[]"), ["it is not an object"]);
    assert_eq!(faults("{"), ["it is not valid JSON"]);
    assert_eq!(faults(r#"{"provenance":{"kernel-builder":{"version":"1"},"kernel":{}}}"#).len(), 6);
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_the_reader_fail(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..100)) {
        let _ = Metadata::from_json(&bytes);
    }
}
