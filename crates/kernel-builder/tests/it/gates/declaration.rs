//! What is said about a file of declared operations, and about kernels that cannot be asked.

use super::scene::{built, ended, gates, test};

const RELU: &str = "import torch\n\ndef relu(x):\n    return torch.relu(x)\n";
const HEAD: &str = "schema = 1\n[operation.relu]\nreference = \"reference.py:relu\"\ndtypes = [\"float32\"]\n\
                    dims = { N = {} }\n";
const REST: &str = "[operation.relu.tensors]\nx = { shape = [\"N\"] }\nout = { shape = [\"N\"], role = \"output\" }\n\
                    [[operation.relu.workload]]\nname = \"small\"\nsizes = { N = 100 }\n";

#[test]
fn all_faults_of_a_file_are_told_in_one_run() {
    let faulty = r#"schema = 2
[operation.relu]
call = "relu(y, 1 + 2)"
referense = "reference.py:relu"
reference = "../reference.py:relu"
dtypes = ["float23"]
dims = { N = { multiple-of = 4 } }
terms = "M"
deterministic = "yes"
[operation.relu.tensors]
x = { shape = ["N", "3*"], role = "inputs" }
out = { shape = ["N"], role = "output", compare = "close" }
[[operation.relu.workload]]
name = "small"
sizes = { N = 7, K = 1 }
weight = -1
"#;
    let scene = built(RELU, faulty, RELU);
    let ran = scene.run(&["test", "plain", "--python", &crate::scene::python()]);
    assert_eq!(ran.status, 3, "{ran}");
    assert!(ran.stderr.contains("workloads/value") && ran.stderr.contains("workloads/invalid"), "{ran}");
    insta::assert_snapshot!("faults", ran.stderr);
}

#[test]
fn a_kernel_that_raises_or_dies_is_named_with_the_call() {
    let raising = "import torch, os, sys\n\ndef relu(x):\n    if x.numel() == 17:\n        raise ValueError('no seventeen')\n    \
                   return torch.relu(x)\n\ndef dying(x):\n    if x.numel() == 17:\n        os._exit(3)\n    return torch.relu(x)\n\n\
                   def listed(x):\n    return [1.0]\n";
    let dying = |name: &str| {
        HEAD.replace("schema = 1\n", "")
            .replace(".relu", &format!(".{name}"))
            .replace(&format!("py:{name}"), "py:relu")
            + &REST.replace(".relu", &format!(".{name}"))
    };
    let workloads = format!("{HEAD}{REST}{}{}", dying("dying"), dying("listed"));
    let scene = built(raising, &workloads, RELU);
    let ran = test(&scene, &[]);
    assert_eq!(ran.status, 7, "{ran}");
    let failure = |operation: &str, gate: &str| {
        let all = gates(&ran);
        let found = all.into_iter().find(|(of, name, _)| of == operation && name == gate).expect("a gate");
        found.2["failure"].clone()
    };
    assert!(failure("relu", "C2")["message"].as_str().expect("words").contains("no seventeen"), "{ran}");
    assert_eq!(failure("relu", "C2")["case"], "N=17");
    assert_eq!(failure("dying", "C2")["crashed"], true, "{ran}");
    assert!(
        failure("listed", "C1")["message"].as_str().expect("words").contains("a tensor is wanted"),
        "{ran}"
    );
    assert!(ended(&ran, "dying", "passed").contains(&"C1".to_owned()), "the other gates go on: {ran}");
    assert!(ran.stdout.contains("test/gate-child"), "{ran}");
}

#[test]
fn a_reference_that_ignores_its_inputs_proves_nothing() {
    let constant = "import torch\n\ndef relu(x):\n    return torch.ones_like(x)\n";
    let scene = built(constant, &format!("{HEAD}{REST}"), constant);
    let ran = test(&scene, &[]);
    assert_eq!(ran.status, 7, "{ran}");
    assert!(ran.stdout.contains("the reference gives the same for all inputs"), "{ran}");
}
